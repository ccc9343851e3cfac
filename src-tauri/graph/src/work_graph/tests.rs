//! Tables of small graphs, and large ones that must stay cheap.

use super::*;

type Ids = Vec<Cow<'static, str>>;

/// Units as `id:status:dep,dep:group`; groups as `name:choice,choice:selected:failed`; containment as `parent>child`.
struct Spec {
    units: Vec<(String, Progress, Ids, Option<String>)>,
    groups: Vec<(String, Ids, Option<String>, Ids)>,
    contains: Vec<(String, String)>,
}

fn list(text: &str) -> Vec<Cow<'static, str>> {
    text.split(',').filter(|id| !id.is_empty()).map(|id| Cow::Owned(id.to_owned())).collect()
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn spec(units: &[&str], groups: &[&str], contains: &[&str]) -> Spec {
    let parts = |text: &str, n: usize| text.split(':').nth(n).unwrap_or_default().to_owned();
    let progress = |word: &str| match word {
        "p" => Progress::Pending,
        "i" => Progress::InProgress,
        "r" => Progress::Resolved,
        _ => Progress::Other,
    };
    Spec {
        units: units
            .iter()
            .map(|u| (parts(u, 0), progress(&parts(u, 1)), list(&parts(u, 2)), some(&parts(u, 3))))
            .collect(),
        groups: groups
            .iter()
            .map(|g| (parts(g, 0), list(&parts(g, 1)), some(&parts(g, 2)), list(&parts(g, 3))))
            .collect(),
        contains: contains
            .iter()
            .filter_map(|c| c.split_once('>').map(|(a, b)| (a.to_owned(), b.to_owned())))
            .collect(),
    }
}

fn with_graph<T>(spec: &Spec, look: impl FnOnce(&WorkGraph<'_>) -> T) -> T {
    let units: Vec<Unit<'_>> = spec
        .units
        .iter()
        .map(|(id, progress, depends_on, group)| Unit {
            id,
            progress: *progress,
            depends_on,
            group: group.as_deref(),
        })
        .collect();
    let groups: Vec<Choice<'_>> = spec
        .groups
        .iter()
        .map(|(name, choices, selected, failed)| Choice {
            name,
            choices,
            selected: selected.as_deref(),
            failed,
        })
        .collect();
    let contains: Vec<(&str, &str)> = spec.contains.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    look(&WorkGraph::new(&units, &groups, &contains))
}

fn ready(units: &[&str], groups: &[&str], contains: &[&str]) -> Vec<String> {
    let spec = spec(units, groups, contains);
    with_graph(&spec, |graph| graph.ready().map(|at| graph.id(at).to_owned()).collect())
}

fn cycles(units: &[&str], groups: &[&str], contains: &[&str]) -> Vec<String> {
    with_graph(&spec(units, groups, contains), |graph| {
        graph.cycles(9).iter().map(|c| c.join(" -> ")).collect()
    })
}

#[test]
fn a_dependency_must_be_resolved() {
    assert_eq!(ready(&["A:r", "B:p:A", "C:p:B", "D:p", "E:i"], &[], &[]), ["B", "D"]);
}

#[test]
fn an_unknown_dependency_is_never_satisfied() {
    assert!(ready(&["A:p:nobody"], &[], &[]).is_empty());
    let spec = spec(&["A:p:nobody,B", "B:p"], &[], &[]);
    let blockers = with_graph(&spec, |graph| graph.blocked_by(0));
    assert_eq!(blockers, [Blocker::Missing("nobody".into()), Blocker::WaitsFor("B".into())]);
}

#[test]
fn containers_are_satisfied_by_all_children_and_never_ready() {
    let units = |last: &str| vec!["P:p".to_owned(), "C1:r".to_owned(), last.to_owned(), "X:p:P".to_owned()];
    let run = |last: &str| {
        let units = units(last);
        let units: Vec<&str> = units.iter().map(String::as_str).collect();
        ready(&units, &[], &["P>C1", "P>C2"])
    };
    assert_eq!(run("C2:p"), ["C2"]);
    assert_eq!(run("C2:r"), ["X"]);
    assert!(ready(&["P:p", "X:p:P"], &[], &["P>gone"]).is_empty());
}

#[test]
fn the_selected_choice_stands_for_its_group() {
    let groups = ["g:A,B:B:A"];
    assert_eq!(ready(&["A:p::g", "B:p::g", "X:p:A"], &groups, &[]), ["B"]);
    assert_eq!(ready(&["A:p::g", "B:r::g", "X:p:A"], &groups, &[]), ["X"]);
    assert!(ready(&["A:p::g", "B:p::g"], &["g:A,B"], &[]).is_empty());
    assert!(ready(&["A:p", "B:p"], &["g:A,B:A:A"], &[]).is_empty());
    assert!(ready(&["A:p::unlisted"], &[], &[]).is_empty());
}

#[test]
fn circles_are_found_in_dependencies_containment_and_selection() {
    assert_eq!(cycles(&["A:p:B", "B:p:A"], &[], &[]), ["A -> B -> A"]);
    assert_eq!(cycles(&["A:p:A"], &[], &[]), ["A -> A"]);
    assert_eq!(cycles(&["A1:p:A5", "A3:p:A1", "A5:p"], &[], &["A5>A3"]), ["A1 -> A5 -> A3 -> A1"]);
    assert_eq!(cycles(&["A:p", "B:p"], &[], &["A>B", "B>A"]), ["A -> B -> A"]);
    assert_eq!(cycles(&["A:p::g", "B:p:A:g"], &["g:A,B:B"], &[]), ["A -> B -> A"]);
}

#[test]
fn what_is_no_deadlock_is_no_circle() {
    assert!(cycles(&["A:p", "B:p:A", "C:p:A,B"], &[], &[]).is_empty());
    // The container waits for a neighbour of its child. It is never executed, so there is no cycle.
    assert!(cycles(&["P:p:X", "C:p", "X:p:C"], &[], &["P>C"]).is_empty());
}

#[test]
fn circles_are_not_satisfied_and_end() {
    let spec = spec(&["A:p", "B:p", "X:p:A"], &[], &["A>B", "B>A"]);
    assert!(!with_graph(&spec, |graph| graph.satisfied("A") || graph.satisfied("B")));
}

#[test]
fn long_chains_and_wide_containers_cost_no_stack_and_little_time() {
    let n = 50_000;
    let id = |k: usize| format!("A{k}");
    let mut deep = Spec { units: Vec::new(), groups: Vec::new(), contains: Vec::new() };
    for k in 0..n {
        let progress = if k + 1 == n { Progress::Resolved } else { Progress::Pending };
        deep.units.push((id(k), progress, list(&id(k + 1)), None));
        if k + 1 < n {
            deep.contains.push((id(k), id(k + 1)));
            deep.contains.push((id(0), id(k + 1)));
        }
    }
    assert!(with_graph(&deep, |graph| graph.satisfied("A0") && graph.cycles(9).is_empty()));
}

fn critical(units: &[&str], groups: &[&str], contains: &[&str]) -> Vec<String> {
    let spec = spec(units, groups, contains);
    with_graph(&spec, |graph| graph.critical_path().iter().map(|at| graph.id(*at).to_owned()).collect())
}

#[test]
fn the_critical_path_is_the_longest_chain_of_what_is_to_be_done() {
    assert_eq!(critical(&["A:r", "B:p:A", "C:p:B", "D:p", "E:i:C,D"], &[], &[]), ["B", "C", "E"]);
    assert!(critical(&["A:r"], &[], &[]).is_empty());
    // Of two equal chains, the first in file order.
    assert_eq!(critical(&["A:p", "B:p:A", "C:p", "D:p:C"], &[], &[]), ["A", "B"]);
    // Containers stand in for their children, unselected alternatives for the selected one.
    assert_eq!(critical(&["P:p", "C:p", "D:p:C", "X:p:P"], &[], &["P>C", "P>D"]), ["C", "D", "X"]);
    assert_eq!(critical(&["A:p:L:g", "B:p::g", "L:p", "X:p:A"], &["g:A,B:B"], &[]), ["B", "X"]);
    // A satisfied dependency costs nothing; an unknown one cannot be counted.
    assert_eq!(critical(&["P:p", "C:r:Z", "Z:p", "X:p:P,gone"], &[], &["P>C"]), ["Z"]);
}

#[test]
fn a_circle_has_a_critical_path_that_ends() {
    assert_eq!(critical(&["A:p:C", "B:p:A", "C:p:B"], &[], &[]).len(), 3);
    assert_eq!(critical(&["A:p:A"], &[], &[]), ["A"]);
}

#[test]
fn a_batch_is_the_beginning_of_the_ready_list() {
    let spec = spec(&["A:r", "B:p", "C:i", "D:p", "E:p"], &[], &[]);
    let names = |limit: usize| {
        with_graph(&spec, |graph| graph.batch(limit).map(|at| graph.id(at).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        (names(2), names(0), names(9)),
        (vec!["B".into(), "D".into()], vec![], vec!["B".into(), "D".into(), "E".into()])
    );
}

#[test]
fn a_group_is_satisfied_by_its_choice_and_a_parent_counts_its_children() {
    let spec = spec(
        &["A:p::g", "B:r::g", "P:p", "C:r", "D:p", "E:r::h"],
        &["g:A,B:B", "h:E"],
        &["P>C", "P>D", "P>gone"],
    );
    with_graph(&spec, |graph| {
        assert!(graph.group_satisfied("g") && !graph.group_satisfied("h") && !graph.group_satisfied("x"));
        assert_eq!(graph.children_done(2), (1, 3));
        assert!(!graph.ready_to_resolve(2));
    });
    let spec = self::spec(&["P:p", "C:r", "Q:r"], &[], &["P>C", "Q>C"]);
    assert!(with_graph(&spec, |graph| graph.ready_to_resolve(0) && !graph.ready_to_resolve(2)));
}

#[test]
fn long_chains_have_long_critical_paths() {
    let n = 100_000;
    let mut deep = Spec { units: Vec::new(), groups: Vec::new(), contains: Vec::new() };
    for k in 0..n {
        let before = if k == 0 { String::new() } else { format!("A{}", k - 1) };
        deep.units.push((format!("A{k}"), Progress::Pending, list(&before), None));
    }
    let begin = std::time::Instant::now();
    with_graph(&deep, |graph| {
        assert_eq!((graph.critical_path().len(), graph.ready().count(), graph.cycles(9).len()), (n, 1, 0));
    });
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
}

#[test]
fn parts_follow_the_choice_above_them() {
    // P belongs to A, C to P.
    let run = |group: &str| ready(&["A:p::g", "B:p::g", "P:p", "C:p"], &[group], &["A>P", "P>C"]);
    assert_eq!(run("g:A,B:A"), ["C"]);
    assert_eq!(run("g:A,B:B"), ["B"]);
    assert!(run("g:A,B").is_empty());
    assert!(run("g:A,B:A:A").is_empty());
}

#[test]
fn a_part_fails_the_nearest_alternative() {
    let spec = spec(&["A:p::g", "B:p::g", "P:p", "C:p::h", "X:p"], &["g:A,B:A", "h:C:C"], &["A>P", "P>C"]);
    with_graph(&spec, |graph| {
        let of = |id: &str| graph.alternative(graph.find(id).expect(id)).map(|at| graph.id(at));
        assert_eq!((of("A"), of("P"), of("C"), of("X")), (Some("A"), Some("A"), Some("C"), None));
        assert_eq!(graph.alternative_above(3), Some(0));
        assert_eq!(graph.containers_of(3, 9), [2, 0]);
    });
    let circle = self::spec(&["A:p", "B:p"], &[], &["A>B", "B>A"]);
    with_graph(&circle, |graph| assert_eq!(graph.alternative(0), None));
}

#[test]
fn nothing_is_left_to_do_in_an_abandoned_alternative() {
    let spec = spec(&["A:p::g", "B:r::g", "P:p", "C:p:P"], &["g:A,B:B:A"], &["A>P", "A>C"]);
    with_graph(&spec, |graph| {
        assert!((2..4).all(|at| graph.is_idle(at) && graph.is_abandoned(at)));
        assert!(graph.is_idle(0) && !graph.is_abandoned(0) && !graph.is_idle(1));
        assert!(graph.critical_path().is_empty());
    });
}
