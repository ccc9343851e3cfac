//! A program that misbehaves on demand: `unruly MARK WORD…`, each word one action, in order.
//!
//! MARK does nothing; all descendants carry it in their arguments, so that a test can count them.

#[cfg(unix)]
mod actions;

fn main() {
    // Elsewhere there is no signal to ignore and no session to leave: nobody starts it there.
    #[cfg(unix)]
    actions::take_all();
}
