//! The same work on many things, shared by all cores.

use std::sync::LazyLock;
use std::thread;

/// So many rows or pages are worth a thread.
pub const ROWS: usize = 64;

/// So many threads can work at once. Asked once: the answer comes from several files of the system.
pub static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// What `make` makes of each of `things`, in their order; `worth` of them are worth a thread. What a thread that panics would have
/// made is left out.
pub fn on_all_cores<T: Sync, R: Send>(things: &[T], worth: usize, make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = CORES.min(things.len().div_ceil(worth));
    if threads <= 1 {
        return things.iter().map(make).collect();
    }
    let (share, make) = (things.len().div_ceil(threads), &make);
    thread::scope(|scope| {
        let work = |part| scope.spawn(move || -> Vec<R> { <[T]>::iter(part).map(make).collect() });
        let parts: Vec<_> = things.chunks(share).map(work).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_kept_for_any_number() {
        for count in [0, 1, ROWS, 1_000, 1_001] {
            let things: Vec<usize> = (0..count).collect();
            assert_eq!(on_all_cores(&things, ROWS, |thing| thing + 1), (1..=count).collect::<Vec<_>>());
        }
    }
}
