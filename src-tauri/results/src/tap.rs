//! TAP 12 to 14: subtests by indent or braces, diagnostics, directives, plans and bail-outs.
//!
//! Only the innermost points are tests; a point above them is their suite, printed before or after them.

use super::tally::{Found, Row, Status};
use super::tap_points::{self, Point};
use super::text::{decimal, is_like, lines, number, span};
use super::{MAX_ROWS, ReadingNote};

/// Bytes of diagnostics of one point.
const DETAIL: usize = 32 * 1024;
/// Limit of nested subtests.
const NESTED: usize = 16;

/// A subtest that ends with a brace (Vitest, node-tap).
struct Brace {
    name: String,
    failed: bool,
    /// Failures before it.
    failures: u64,
}

#[derive(Default)]
struct Tap {
    found: Found,
    /// Depth and index of each row that still waits for the suites above it; in order.
    waiting: Vec<(usize, usize)>,
    /// Number of failed points at each depth since the last point above.
    failures: u64,
    braces: Vec<Brace>,
    deeper: usize,
    /// The last point, for diagnostics that follow it.
    last: Option<usize>,
    detail: String,
    /// The last line was `not` alone: what follows it did not pass.
    negated: bool,
    /// The indent of the `---` that is open.
    yaml: Option<usize>,
    /// Points and plan of the outermost level.
    points: u64,
    plan: Option<u64>,
    bailed: bool,
}

/// Reads the output.
pub(super) fn read(output: &[u8]) -> Found {
    let mut tap = Tap::default();
    let mut rest = lines(output).peekable();
    let mut is_cut = false;
    while let Some(line) = rest.next() {
        // What has no line end may continue with a directive; a failure counts in any case.
        let is_open = rest.peek().is_none() && !output.ends_with(b"\n") && tap.yaml.is_none();
        let point = if is_open { tap_points::point(line.trim()) } else { None };
        is_cut = point.is_some() || is_open && tap_points::plan(line.trim()) == Some(0);
        if !is_cut || point.is_some_and(|point| point.status == Status::Failed) {
            tap.line(&line);
        }
    }
    tap.explain();
    if tap.found.duration_ms.is_none() {
        let times = tap.found.rows.iter().filter_map(|row| row.duration_ms);
        let whole = times.reduce(|all, more| all + more);
        tap.found.lasted(whole);
    }
    tap.found.truncated =
        is_cut || !tap.bailed && (tap.plan.is_none_or(|plan| plan != tap.points) || !tap.braces.is_empty());
    tap.found
}

/// A line that TAP has outside of diagnostics.
fn is_tap(text: &str) -> bool {
    tap_points::point(text).is_some() || tap_points::plan(text).is_some() || text.starts_with("Bail out!")
}

impl Tap {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let text = text.trim_end();
        // A block that is not closed ends at the next line that can't be in it.
        if self.yaml.is_some_and(|open| indent < open && !text.is_empty() && is_tap(text)) {
            self.yaml = None;
        }
        if let Some(open) = self.yaml {
            if text == "..." && indent <= open {
                self.yaml = None;
            }
            self.add(line);
        } else if text == "---" {
            self.yaml = self.last.map(|_| indent);
        } else if let Some(mut point) = tap_points::point(text) {
            if std::mem::take(&mut self.negated) && point.status == Status::Passed {
                point.status = Status::Failed;
            }
            self.point(&point, indent);
        } else if is_like(text, "not") {
            self.negated = true;
        } else if text == "}" {
            self.close_brace();
        } else if let Some(reason) = text.strip_prefix("Bail out!") {
            self.bailed = true;
            let reason = super::text::kept(reason.trim(), 1000).unwrap_or_default();
            if self.found.notes.is_empty() {
                self.found.notes.push(ReadingNote::BailedOut { reason });
            }
        } else if let Some(plan) = tap_points::plan(text) {
            self.plan(plan, indent, tap_points::skip_reason(text));
        } else if let Some(comment) = text.strip_prefix('#') {
            self.comment(comment.strip_prefix(' ').unwrap_or(comment), indent);
        } else if indent > 0 {
            self.add(line);
        }
    }

    fn plan(&mut self, plan: u64, indent: usize, reason: Option<&str>) {
        if indent == 0 && self.braces.is_empty() {
            if let Some(reason) = reason.filter(|_| plan == 0) {
                self.found.push(&Row::new("", reason, Status::Skipped));
            }
            self.plan = Some(self.plan.unwrap_or_default().saturating_add(plan));
        }
    }

    fn comment(&mut self, comment: &str, indent: usize) {
        if let Some(ms) = comment.strip_prefix("duration_ms ") {
            self.found.lasted(decimal(ms));
        } else if let Some(ms) = comment.strip_prefix("time=").and_then(span).filter(|_| indent == 0) {
            self.found.lasted(Some(ms));
        } else if comment.starts_with("Subtest: ") {
            self.explain();
        } else if indent == 0 && number(comment.split_once(' ').map_or("", |(_, count)| count)).is_none() {
            // Final counts (`# tests 2`) are not about a point.
            self.add(comment);
        }
    }

    fn point(&mut self, point: &Point<'_>, indent: usize) {
        self.explain();
        // Each subtest can have an indent of its own.
        let depth = if self.braces.is_empty() { indent } else { self.braces.len() };
        if depth == 0 {
            self.points += 1;
        }
        if point.opens {
            return self.open_brace(point);
        }
        let below = self.waiting.iter().rev().take_while(|(other, _)| *other > depth).count();
        if below > 0 && self.braces.is_empty() {
            self.parent(point, depth, below);
            return;
        }
        let names = self.braces.iter().map(|brace| brace.name.as_str());
        let path = names.collect::<Vec<_>>().join(" › ");
        let number = point.number.unwrap_or(self.points);
        let name = if point.name.is_empty() { format!("#{number}") } else { point.name.to_string() };
        let row = Row { ms: point.ms, ..Row::new(&path, &name, point.status) };
        self.failures += u64::from(point.status == Status::Failed);
        self.last = self.found.push(&row);
        if let Some(place) = self.last {
            if depth == 0 {
                self.waiting.clear();
            }
            self.waiting.push((depth, place));
        }
    }

    /// The point after its subtests.
    fn parent(&mut self, point: &Point<'_>, depth: usize, below: usize) {
        let from = self.waiting.len() - below;
        let mut failed = false;
        for (level, place) in &mut self.waiting[from..] {
            failed |= self.found.status(*place) == Status::Failed;
            *level = depth;
            let suite = &mut self.found.rows[*place].suite;
            let path =
                if suite.is_empty() { point.name.to_string() } else { format!("{} › {suite}", point.name) };
            *suite = super::text::head(&path, 1000).to_owned();
        }
        if depth == 0 {
            self.waiting.clear();
        }
        if point.status == Status::Failed && !failed {
            self.failures += 1;
            self.last = self.found.push(&Row { ms: point.ms, ..Row::new("", &point.name, point.status) });
        }
    }

    fn open_brace(&mut self, point: &Point<'_>) {
        if self.braces.len() >= NESTED {
            self.deeper += 1;
            return;
        }
        let failed = point.status == Status::Failed;
        self.braces.push(Brace { name: point.name.to_string(), failed, failures: self.failures });
    }

    fn close_brace(&mut self) {
        self.explain();
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some(brace) = self.braces.pop()
            && brace.failed
            && brace.failures == self.failures
        {
            self.failures += 1;
            self.found.push(&Row::new("", &brace.name, Status::Failed));
        }
    }

    fn add(&mut self, line: &str) {
        if self.last.is_some() && self.detail.len() < DETAIL {
            self.detail.push_str(line);
            self.detail.push('\n');
        }
    }

    /// The diagnostics of the last point are complete.
    fn explain(&mut self) {
        self.yaml = None;
        let detail = std::mem::take(&mut self.detail);
        let Some(place) = self.last.take().filter(|_| !detail.is_empty()) else { return };
        let (message, ms) = tap_points::explanation(&detail);
        self.found.explain(place, &message, &detail);
        let row = &mut self.found.rows[place];
        row.duration_ms = row.duration_ms.or(ms);
        debug_assert!(self.waiting.len() <= MAX_ROWS);
    }
}
