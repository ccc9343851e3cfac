//! Handing a loop over to the plugin: the file that its command continues from, and what it must not be
//! given.

use crate::aot::driving::{DRIVEN, FACTS, ONE_COMMAND, file, with};
use loopdeck_core::control::Situation;
use loopdeck_core::formats::aot::{self, AotOperation};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::StatusWord;
use loopdeck_text::text_edit;

fn handed(text: &str, raise_limit_to: Option<u32>) -> String {
    let situation = Situation { shown: StatusWord::Stopped, ..DRIVEN };
    let step = aot::hand_over(text.as_bytes(), &FACTS, raise_limit_to, &situation).expect("possible");
    let Some(step) = step else { return text.to_owned() };
    assert_eq!(step, AotOperation::HandOver { raise_limit_to });
    let edits = aot::operate(text.as_bytes(), &FACTS, &step, &situation).expect("possible");
    String::from_utf8(text_edit::apply(text.as_bytes(), &edits).expect("edits")).expect("text")
}

fn one(status: &str, fields: &[(&str, &str)]) -> String {
    with(file(ONE_COMMAND, &[("A1", status, &[], None)], ""), fields)
}

#[test]
fn its_command_continues_a_stopped_loop_and_begins_a_pending_one() {
    let flags = |status, iteration| {
        [
            ("status", status),
            ("iteration", iteration),
            ("stall_count", "2"),
            ("prev_pending_count", "1"),
            ("stop_requested", "true"),
            ("stop_reason", "\"Paused by user\""),
        ]
    };
    let clear = |status, iteration| one("pending", &[("status", status), ("iteration", iteration)]);
    assert_eq!(handed(&one("in_progress", &flags("stopped", "4")), None), clear("stopped", "4"));
    assert_eq!(handed(&one("in_progress", &flags("running", "4")), None), clear("stopped", "4"));
    assert_eq!(handed(&one("in_progress", &flags("completed", "4")), None), clear("pending", "0"));
    let new = clear("pending", "0");
    assert_eq!(handed(&new, None), new, "nothing is to be written");
    let raised = handed(&clear("stopped", "20"), Some(25));
    assert!(raised.contains("    max_iterations: 25\n") && raised.contains("constraint_change"), "{raised}");
}

#[test]
fn a_loop_of_somebody_else_is_not_handed_over() {
    let elsewhere = Situation { shown: StatusWord::RunningElsewhere, ..DRIVEN };
    let refused = aot::hand_over(one("pending", &[]).as_bytes(), &FACTS, None, &elsewhere).unwrap_err();
    assert_eq!(refused.code, RefusalCode::ForeignOwner);
}

#[test]
fn what_its_hook_cannot_find_is_known() {
    let good = one("pending", &[("status", "stopped")]);
    assert!(aot::is_read_by_plugin(good.as_bytes()));
    for bad in [
        good.replace("  status: stopped", "  status: stopped # for now"),
        good.replace('\n', "\r\n"),
        good.replace("    status: pending", "      status: pending"),
        "no loop".to_owned(),
    ] {
        assert!(!aot::is_read_by_plugin(bad.as_bytes()), "{bad}");
    }
    assert!(!aot::is_held(good.as_bytes()));
    assert!(aot::is_held(one("pending", &[("redirect_requested", "true")]).as_bytes()));
}
