//! The model of agent loops.
//!
//! This crate reads the loop formats (CCW Loop v2, CCW Loop-B, AoT, Ralph), builds what a person sees of them,
//! decides which control verbs are legal, and turns an intent into text edits that touch only the bytes of
//! our fields. It knows no files, no clock and no window: bytes and times come in, views and edits go out.
//!
//! Every format is a folder in [`formats`]. Those with control have the same rooms: `read` (a state and its problems), `check`, `edit` and
//! `operate` (an intent becomes text edits), `drive` (what is next), `view` (what a person sees), `recover`. The doors to all of them are
//! [`loops`], [`start`] and [`recovery`].

pub mod checklist;
pub mod compare;
pub mod control;
pub mod driver;
pub mod evidence;
pub mod facts;
pub mod follow_up;
pub mod format;
pub mod formats;
pub mod forms;
pub mod layout;
pub mod lineage;
pub mod located;
pub mod loop_id;
pub mod loops;
pub mod outcome;
mod outline;
pub mod past;
pub mod phase;
pub mod place;
pub use loopdeck_plans as plans;
pub mod problem;
pub mod put_aside;
pub mod recovery;
pub mod referee;
pub mod refusal;
pub mod searched;
pub mod side_by_side;
pub mod skill_prompt;
pub mod stable_hash;
pub mod start;
pub mod status;
pub mod step;
pub mod summary;
pub mod task_state;
pub mod test_table;
pub mod timeline;
pub mod times;
pub mod view;
pub mod weakened;
pub mod work_change;
pub mod work_drawing;
mod work_units;
pub mod work_view;
