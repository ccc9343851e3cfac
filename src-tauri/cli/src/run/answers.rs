//! `--answer WHAT=HOW`: answers given in place of a person.

use loopdeck_runtime::drivers::rows::{Need, NeedAnswer};
use serde_json::json;

use crate::text;

/// How often one rule may answer in a run: a question that keeps coming back must end it.
const MOST_USES: u32 = 20;

/// The rules, in the order given.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    rules: Vec<Rule>,
}

/// What to answer, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    what: String,
    how: AnswerForm,
    used: u32,
}

/// An answer whose position in a menu is not known yet.
#[derive(Clone, Debug, PartialEq)]
enum AnswerForm {
    This(NeedAnswer),
    /// The choice with this name.
    Choose(String),
}

/// Possible values of `WHAT`: kinds of needs and codes of questions.
const KINDS: [&str; 9] = [
    "permission",
    "question",
    "menu",
    "limit_reached",
    "usage_limit",
    "sign_in",
    "failed",
    "left_over",
    "interrupted",
];

/// Reads `WHAT=HOW`.
///
/// # Errors
/// A sentence for the person.
pub(super) fn rule(text: &str) -> Result<Rule, String> {
    let (what, how) = text.split_once('=').ok_or("--answer takes WHAT=HOW, such as permission=deny")?;
    let is_known = KINDS.contains(&what) || is_question(what);
    if !is_known {
        return Err(format!(
            "--answer does not know {what:?}: one of {}, or the code of a question",
            KINDS.join(", ")
        ));
    }
    let how = read(how).ok_or_else(|| format!("--answer does not know the answer {how:?}"))?;
    Ok(Rule { what: what.to_owned(), how, used: 0 })
}

impl Answers {
    /// Answers by `rules`.
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        Self { rules }
    }

    /// The answer to `need`. Several rules for the same thing are used in order, the last one repeatedly.
    pub(crate) fn answer(&mut self, need: &Need) -> Option<NeedAnswer> {
        let kind = text::name(need.kind);
        let code = need.args.get("question").cloned().unwrap_or_default();
        // The code of a question is more specific than "question".
        let fits = |rule: &Rule, name: &str| rule.what == name && offered(&rule.how, need).is_some();
        let name = [code, kind].into_iter().find(|name| self.rules.iter().any(|rule| fits(rule, name)))?;
        let fitting: Vec<usize> = (0..self.rules.len()).filter(|&at| fits(&self.rules[at], &name)).collect();
        let next = fitting.iter().copied().find(|&at| self.rules[at].used == 0);
        let at = next.or(fitting.last().copied())?;
        let rule = &mut self.rules[at];
        rule.used += 1;
        if rule.used > MOST_USES { None } else { offered(&rule.how, need) }
    }
}

/// Whether a driver asks a question of this code.
fn is_question(code: &str) -> bool {
    use loopdeck_core::driver::QuestionCode;
    serde_json::from_value::<QuestionCode>(json!(code)).is_ok()
}

/// The answer, if this need accepts it.
fn offered(how: &AnswerForm, need: &Need) -> Option<NeedAnswer> {
    let answer = match how {
        AnswerForm::This(answer) => answer.clone(),
        AnswerForm::Choose(name) => {
            let index = need.choices.iter().position(|choice| choice.word() == name)?;
            NeedAnswer::Choose { index: u32::try_from(index).ok()? }
        }
    };
    need.answers.contains(&answer.kind()).then_some(answer)
}

/// `deny`, `say:TEXT`, `choose:develop`, `extend:iterations=5`.
fn read(how: &str) -> Option<AnswerForm> {
    let (word, value) = how.split_once(':').unwrap_or((how, ""));
    let answer = match word {
        "choose" if !value.is_empty() => return Some(AnswerForm::Choose(value.to_owned())),
        "refute" => json!({ "answer": "refute", "why": value }),
        "deny" => json!({ "answer": "deny", "note": value }),
        "say" if !value.trim().is_empty() => json!({ "answer": "say", "text": value }),
        "extend" => {
            let (limit, more) = value.split_once('=')?;
            let limit = if limit == "money" { "money_usd" } else { limit };
            let more: serde_json::Number = more.parse().ok()?;
            if !["iterations", "minutes", "money_usd", "tokens", "turns"].contains(&limit) {
                return None;
            }
            json!({ "answer": "extend", limit: more })
        }
        "say" | "choose" => return None,
        word if value.is_empty() => json!({ "answer": word }),
        _ => return None,
    };
    serde_json::from_value(answer).ok().map(AnswerForm::This)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::driver::MenuChoice;
    use loopdeck_runtime::drivers::rows::{NeedAnswerKind, NeedAnswerKind as K, NeedKind};
    use std::collections::BTreeMap;

    fn need(kind: NeedKind, answers: &[NeedAnswerKind]) -> Need {
        Need {
            id: "need-1".into(),
            key: "k".into(),
            run: None,
            title: String::new(),
            kind,
            since: 0.0,
            agent: String::new(),
            tool: None,
            input: None,
            cut_from: None,
            folder: String::new(),
            text: String::new(),
            args: BTreeMap::new(),
            choices: Vec::new(),
            extension: None,
            until: None,
            answers: answers.to_vec(),
            processes: Vec::new(),
            wrong: Vec::new(),
            lines: Vec::new(),
            left: None,
            requested: None,
        }
    }

    fn rules(texts: &[&str]) -> Answers {
        Answers::new(texts.iter().map(|text| rule(text).expect(text)).collect())
    }

    #[test]
    fn an_assertion_is_confirmed_or_refuted_with_a_reason() {
        let mut assertion = need(NeedKind::Question, &[K::Confirm, K::Refute, K::Stop]);
        assertion.args.insert("question".into(), "confirm_assertion".into());
        let mut given = rules(&["confirm_assertion=confirm", "confirm_assertion=refute:Too dark"]);
        assert_eq!(given.answer(&assertion), Some(NeedAnswer::Confirm));
        assert_eq!(given.answer(&assertion), Some(NeedAnswer::Refute { why: "Too dark".into() }));
    }

    #[test]
    fn a_question_is_answered_by_its_code_before_its_kind() {
        let mut question = need(NeedKind::Question, &[K::Say, K::TryAgain, K::GoOn, K::Stop]);
        let mut answers = rules(&["question=stop", "no_tests=go_on"]);
        assert_eq!(answers.answer(&question), Some(NeedAnswer::Stop));
        question.args.insert("question".into(), "no_tests".into());
        assert_eq!(answers.answer(&question), Some(NeedAnswer::GoOn));
        assert_eq!(answers.answer(&need(NeedKind::Permission, &[K::Deny])), None);
    }

    #[test]
    fn a_menu_is_answered_in_order_and_only_with_what_it_offers() {
        let mut menu = need(NeedKind::Menu, &[K::Choose, K::Stop]);
        menu.choices = vec![MenuChoice::Develop, MenuChoice::Validate];
        let mut answers = rules(&["menu=choose:develop", "menu=choose:validate", "menu=choose:debug"]);
        let chosen: Vec<_> = (0..3).map(|_| answers.answer(&menu)).collect();
        let at = |index| Some(NeedAnswer::Choose { index });
        assert_eq!(chosen, [at(0), at(1), at(1)]);
    }

    #[test]
    fn an_answer_that_never_helps_ends() {
        let question = need(NeedKind::Question, &[K::TryAgain]);
        let mut answers = rules(&["question=try_again"]);
        let given = (0..100).filter(|_| answers.answer(&question).is_some()).count();
        assert_eq!(given, MOST_USES as usize);
    }

    #[test]
    fn limits_are_raised_by_name_and_nonsense_is_refused() {
        let limit = need(NeedKind::LimitReached, &[K::Extend, K::Stop]);
        let more = rules(&["limit_reached=extend:iterations=5"]).answer(&limit);
        assert!(
            matches!(more, Some(NeedAnswer::Extend { iterations: Some(5), minutes: None, .. })),
            "{more:?}"
        );
        for wrong in [
            "permission",
            "weather=deny",
            "permission=",
            "permission=maybe",
            "question=say:",
            "menu=choose",
            "limit_reached=extend:patience=3",
            "limit_reached=extend:turns=many",
            "permission=allow_once:x",
        ] {
            assert!(rule(wrong).is_err(), "{wrong}");
        }
    }
}
