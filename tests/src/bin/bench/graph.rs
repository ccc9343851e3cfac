//! What the work graph derives from a plan far larger than any real one.

use crate::report::{Report, ms, percentile};
use loopdeck_graph::work_graph::{Progress, Unit, WorkGraph};
use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

const ATOMS: usize = 100_000;
const ROUNDS: usize = 9;
const LIMIT_MS: f64 = 50.0;

/// Which atoms the n-th one waits for.
type Shape = fn(usize) -> Vec<usize>;
/// An id and the ids it waits for.
type Planned = (String, Vec<Cow<'static, str>>);

/// Measures building the graph, the ready set, the critical path and the cycle check, on two shapes.
pub(crate) fn measure(report: &mut Report, _folder: &Path) {
    let shapes: [(&str, Shape); 2] = [("one chain", chain), ("three dependencies each", wide)];
    for (shape, depends_on) in shapes {
        let planned = |n| (id(n), depends_on(n).into_iter().map(|n| id(n).into()).collect());
        let plan: Vec<Planned> = (0..ATOMS).map(planned).collect();
        let (mut builds, mut totals): (Vec<f64>, Vec<f64>) = (0..ROUNDS).map(|_| derive(&plan)).unzip();
        let what = |what: &str| format!("100,000 atoms, {shape}: {what}");
        Report::note(&what("building the graph"), percentile(&mut builds, 0.5), "ms");
        let total = percentile(&mut totals, 0.5);
        report.limit(&what("with ready set, critical path, cycle check"), total, LIMIT_MS, "ms");
    }
}

/// From the list of units to the graph, and from there to the answers, in milliseconds.
fn derive(plan: &[Planned]) -> (f64, f64) {
    let start = Instant::now();
    let units: Vec<Unit<'_>> = plan
        .iter()
        .enumerate()
        .map(|(n, (id, depends_on))| {
            let progress = if n < ATOMS / 2 { Progress::Resolved } else { Progress::Pending };
            Unit { id, progress, depends_on, group: None }
        })
        .collect();
    let graph = WorkGraph::new(&units, &[], &[]);
    let build = ms(start.elapsed());
    let ready = graph.ready().count();
    let path = graph.critical_path().len();
    let circles = graph.cycles(10).len();
    let time = ms(start.elapsed());
    assert!(ready > 0 && circles == 0, "{ready} ready, {circles} circles");
    assert_eq!(path, ATOMS / 2, "each of the atoms left waits for the one before");
    (build, time)
}

fn id(n: usize) -> String {
    format!("A{n}")
}

fn chain(n: usize) -> Vec<usize> {
    n.checked_sub(1).into_iter().collect()
}

/// Each waits for three earlier ones, near and far.
fn wide(n: usize) -> Vec<usize> {
    [1, 17, 1_001].into_iter().filter_map(|back| n.checked_sub(back)).collect()
}
