//! Each JSON example of the seeds, compared with the corresponding file of a driven loop.

use crate::seed_rows::STAGE;
use loopdeck_tests::examples::{as_in, example};
use serde_json::Value;

const V2: &str = "loop-v2-20260122-abc123.json";
const B: &str = "loop-b-20260122-abc123.json";

/// A list whose items the example describes must not be empty in the file either.
fn is_full(example: &Value, file: &Value, path: &str) {
    match (example, file) {
        (Value::Object(fields), _) => {
            fields.iter().for_each(|(key, example)| is_full(example, &file[key], &format!("{path}.{key}")));
        }
        (Value::Array(items), Value::Array(found)) => {
            assert!(items.is_empty() || !found.is_empty(), "{path} is empty");
        }
        _ => {}
    }
}

#[test]
fn driven_files_are_as_in_the_examples_of_the_seeds() {
    let stage = &*STAGE;
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let initialised = stage.auto.states.iter().find(|state| state["skill_state"].is_object());
    let output = parse(stage.b_auto.file("workers/develop.output.json"));
    for (name, file) in [
        (format!("seed-000-created/{V2}"), &stage.auto.states[0]),
        (format!("seed-001-created/{V2}"), &stage.auto.states[0]),
        (format!("seed-004-created/{V2}"), &stage.auto.states[0]),
        (format!("seed-000-initialised/{V2}"), initialised.unwrap()),
        (format!("seed-001-initialised/{V2}"), initialised.unwrap()),
        (format!("seed-004-initialised/{V2}"), initialised.unwrap()),
        (format!("seed-003-master/{B}"), stage.b_auto.last()),
        (format!("seed-003-parallel/{B}"), stage.b_parallel.last()),
        ("seed-003-parallel/loop-b-20260122-abc123.workers/develop.output.json".to_owned(), &output),
    ] {
        let example = example(&name);
        as_in(&example, file, &name);
        is_full(&example, file, &name);
    }
}
