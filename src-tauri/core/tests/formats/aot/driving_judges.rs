//! Quality checks as run by the driver: what a judge says, and what follows from it (AoT contract §11).

use crate::aot::driving::Said;
use crate::aot::driving_checks::{judge, scores, stage, the_judge, verified};
use loopdeck_core::checklist::Verdict;
use loopdeck_core::driver::{Conclusion, EndReason, QuestionCode, Reply};
use loopdeck_core::formats::aot::drive::AotNext;
use loopdeck_core::formats::aot::{AotOperation, CheckedBy};

const RUBRIC: &str = "    type: quality
    pass_threshold: 3.5
    rubric:
      - criterion: \"Naming\"
        weight: 3
        levels:
          1: \"Hard to read\"
          5: \"Very readable\"
      - criterion: \"Structure\"
        weight: 1
";

/// Scores of the two criteria, the weighted score, the verdict.
#[test]
fn scores_are_weighed_here_and_not_by_the_judge() {
    for (naming, structure, score, verdict) in
        [(4.0, 2.0, 3.5, Verdict::Pass), (3.0, 4.6, 3.4, Verdict::Fail), (3.5, 3.5, 3.5, Verdict::Pass)]
    {
        let mut stage = stage(RUBRIC);
        stage.files(&[]);
        let task = the_judge(&stage);
        assert!(task.prompt.contains("Hard to read"));
        judge(&mut stage, &task, &scores(&[("Naming", naming), ("Structure", structure)]));
        let outcome = verified(&stage).results[0].clone();
        assert!((outcome.score.expect("a score") - score).abs() < 1e-12);
        assert_eq!((outcome.verdict, outcome.by), (verdict, CheckedBy::Judge));
        assert_eq!(
            outcome.evidence,
            format!("Naming {naming}: saw Naming\nStructure {structure}: saw Structure")
        );
        if verdict == Verdict::Fail {
            let AotNext::Write(AotOperation::AddAtoms { atoms }) = stage.next() else { panic!("atoms") };
            assert_eq!(
                atoms[0].description,
                "Make this check pass: Naming (quality; score 3.40; Naming 3: saw Naming Structure 4.6: saw Structure)"
            );
        }
    }
}

#[test]
fn a_judge_is_asked_again_and_then_the_person() {
    for bad in [
        Said::Answer("Looks good to me, 5 of 5.".into()),
        scores(&[("Naming", 4.0)]),
        scores(&[("Naming", 4.0), ("Structure", 9.0)]),
        scores(&[("Naming", 4.0), ("Naming", 4.0)]),
        Said::Answer(r#"{"scores":[{"criterion":"Naming","score":4,"evidence":""},{"criterion":"Structure","score":4,"evidence":"x"}]}"#.into()),
        Said::Fails("crashed".into()),
    ] {
        let mut stage = stage(RUBRIC);
        stage.files(&[]);
        let task = the_judge(&stage);
        for _ in 0..2 {
            let concluded = judge(&mut stage, &task, &bad);
            let Conclusion::Retry { prompt } = concluded else { panic!("{bad:?}: {concluded:?}") };
            assert!(prompt.len() > task.prompt.len());
        }
        assert_eq!(judge(&mut stage, &task, &bad), Conclusion::Write(vec![]));
        assert_eq!(verified(&stage).verdict, Verdict::Unknown, "{bad:?}");
        let AotNext::Ask(question) = stage.next() else { panic!("{bad:?}") };
        assert_eq!(question.code, QuestionCode::VerificationUnknown);
        assert!(question.text.starts_with("Naming: The judge gave no usable scores: "), "{}", question.text);
        stage.memory.question = Some(question);
        stage.memory.reply(&Reply::TryAgain);
        the_judge(&stage);
    }
}

#[test]
fn a_judge_that_was_ended_says_nothing() {
    let mut stage = stage(RUBRIC);
    stage.files(&[]);
    let task = the_judge(&stage);
    assert_eq!(judge(&mut stage, &task, &Said::Cancelled), Conclusion::End(EndReason::Cancelled));
    assert_eq!(verified(&stage).results, []);
    the_judge(&stage);
}

/// Criteria in one text are one score, whatever its name.
#[test]
fn criteria_without_a_rubric_are_one_score() {
    let mut stage =
        stage("    type: quality\n    criteria: \"It is nice\"\n    pass_threshold: 4\n    scope: \"src\"\n");
    stage.files(&[]);
    let task = the_judge(&stage);
    assert!(
        task.prompt.contains("It is nice")
            && task.prompt.contains("src")
            && !task.prompt.contains("docs/*.md")
    );
    judge(&mut stage, &task, &scores(&[("niceness", 4.0)]));
    assert_eq!(stage.next(), AotNext::Write(AotOperation::Complete));
}
