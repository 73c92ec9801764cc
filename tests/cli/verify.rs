//! Error bars on the command line.

use crate::{code, json, loomwright as run, stdout, temp, write_demo};

#[test]
fn solve_states_error_bars_and_asks_the_second_model() {
    let dir = temp();
    write_demo(&dir);
    let plain = json(&run(&dir, &["--json", "solve", "drag.scene.json"]));
    assert_eq!(plain["cables"][0].get("error"), None);

    let args = ["--json", "solve", "drag.scene.json", "--model", "der"];
    let output = run(&dir, &args);
    assert_eq!(code(&output), 0);
    let error = &json(&output)["cables"][0]["error"];
    let number = |key: &str| error[key].as_f64().unwrap();
    for key in [
        "shape",
        "force",
        "force_percent",
        "moment",
        "moment_percent",
    ] {
        assert!(number(key) > 0.0, "{key}: {error}");
    }
    assert_eq!(error["holds"], true, "{error}");
    assert_eq!(error["other_branch"], false);
    let second = &error["second_model"];
    assert_eq!(second["converged"], true, "{second}");
    // The other model has the same grid: it differs by far less than the grid's error.
    assert!(
        second["shape"].as_f64().unwrap() < 0.1 * number("shape"),
        "{error}"
    );

    let text = stdout(&run(&dir, &args[1..]));
    assert!(text.contains("error         shape +-"), "{text}");
    assert!(text.contains("second model  differs by"), "{text}");
}
