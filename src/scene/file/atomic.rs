//! Files that are either complete or not there.

use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file beside `path`, syncs it and renames it over `path`.
///
/// When anything fails, what was at `path` is untouched. An existing target must be a regular file that may be
/// written; a symbolic link is followed, not replaced.
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
    let target = if existing.is_some() {
        path.canonicalize()?
    } else {
        path.to_owned()
    };
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };

    let mut builder = tempfile::Builder::new();
    builder.prefix(".loomwright-").suffix(".tmp");
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
