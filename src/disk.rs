//! Files on disk: read whole but never without a bound, written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How the temporary files of [`write_atomically`] begin and end.
const TEMPORARY: [&str; 2] = [".loomwright-", ".tmp"];
/// Age at which such a file belongs to nobody any more: its program was killed while it saved.
const ABANDONED: Duration = Duration::from_hours(1);

/// The bytes of a regular file of at most `limit` bytes.
///
/// A pipe would make the program wait for ever, a device would fill the memory, and so would a file that grows while it
/// is read.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let too_large = || {
        let limit = limit >> 20;
        io::Error::other(format!(
            "it is larger than {limit} MB, the most that is read"
        ))
    };
    if metadata.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(metadata.len() as usize + 1)
        .map_err(|_| too_large())?;
    // A byte more than allowed shows that there is more.
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Whether two paths lead to one file, be it there already or not.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    match (resolved(a), resolved(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// The path without links; of a file that is yet to be made, where it will stand.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    if let Ok(path) = path.canonicalize() {
        return Ok(path);
    }
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new(".")).canonicalize()?;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    match std::fs::read_link(path) {
        // A link whose target is not there yet: the target is what will be made.
        Ok(target) => {
            let target = directory.join(target);
            let parent = target.parent().unwrap_or(&directory).canonicalize()?;
            Ok(parent.join(target.file_name().ok_or(io::ErrorKind::InvalidInput)?))
        }
        Err(_) => Ok(directory.join(name)),
    }
}

/// Writes a file beside `path`, syncs it and renames it over `path`.
///
/// When anything fails, what was at `path` is untouched. An existing target must be a regular file that may be
/// written; a symbolic link is followed, not replaced, also where its target is not there yet.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let existing = std::fs::metadata(path).ok();
    if let Some(existing) = &existing {
        if !existing.is_file() {
            return Err(io::Error::other("the target is not a regular file"));
        }
        if existing.permissions().readonly() {
            return Err(io::Error::other("the target is write-protected"));
        }
    }
    let target = resolved(path)?;
    let directory = target.parent().unwrap_or(Path::new("."));
    remove_abandoned(directory);

    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY[0]).suffix(TEMPORARY[1]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask takes from these what the user does not want.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = BufWriter::new(builder.tempfile_in(directory)?);
    write(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(existing) = existing {
        file.as_file().set_permissions(existing.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|e| e.error)?;
    // The rename itself reaches the disk with the directory; not every system can sync one.
    if let Ok(directory) = std::fs::File::open(directory) {
        let _ = directory.sync_all();
    }
    Ok(())
}

/// Removes what a program that was killed in the middle of a save has left behind.
fn remove_abandoned(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = name.starts_with(TEMPORARY[0]) && name.ends_with(TEMPORARY[1]);
        let old = || {
            let modified = entry.metadata().and_then(|m| m.modified()).ok()?;
            Some(modified.elapsed().ok()? > ABANDONED)
        };
        if ours && old() == Some(true) {
            // Another program may have been quicker.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_or_no_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![7; 3 << 20]).unwrap();
        assert_eq!(read_bounded(&path, 3 << 20).unwrap().len(), 3 << 20);
        let error = read_bounded(&path, 2 << 20).unwrap_err().to_string();
        assert!(error.contains("larger than 2 MB"), "{error}");
        let error = read_bounded(folder.path(), 10).unwrap_err().to_string();
        assert!(error.contains("directory"), "{error}");
        // A sparse gigabyte costs nothing.
        File::create(&path).unwrap().set_len(1 << 30).unwrap();
        assert!(read_bounded(&path, 1 << 20).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_read_and_links_are_followed() {
        use std::os::unix::fs::symlink;
        let error = read_bounded(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert!(error.to_string().contains("regular"), "{error}");
        let folder = tempfile::tempdir().unwrap();
        let [link, target] = ["link", "target"].map(|name| folder.path().join(name));
        symlink("target", &link).unwrap();
        // The target is not there yet, and is what will be written.
        assert!(is_same_file(&link, &target));
        write_atomically(&link, |file| file.write_all(b"new")).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert!(is_same_file(&link, &target));
        assert!(!is_same_file(&link, &folder.path().join("other")));
    }

    #[test]
    fn files_of_a_killed_save_are_removed_at_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new, other] = [".loomwright-a.tmp", ".loomwright-b.tmp", "c.tmp"]
            .map(|name| folder.path().join(name));
        for path in [&old, &new, &other] {
            std::fs::write(path, b"x").unwrap();
        }
        let long_ago = std::time::SystemTime::now() - 2 * ABANDONED;
        for path in [&old, &other] {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(long_ago).unwrap();
        }
        write_atomically(&folder.path().join("scene"), |file| file.write_all(b"y")).unwrap();
        assert_eq!(
            [&old, &new, &other].map(|p| p.exists()),
            [false, true, true]
        );
    }
}
