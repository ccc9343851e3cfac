//! Loops of other machines, over NATS JetStream: shared, mirrored, steered. The one package that knows NATS.
//!
//! - [`authority`]: the operator's folder: keys, invitations, the server's configuration.
//! - [`invitation`]: the file with which a machine joins.
//! - [`server_token`]: what a server asks for that knows no invitations.
//! - [`share`]: which folders this machine shares.
//! - [`Team`]: the connection at work. It publishes files of shared folders, writes copies of what others share
//!   into folders of our own, which the runtime opens like any other, carries commands to other machines, and
//!   carries out theirs through the runtime's one way to change a loop.
//! - [`untrusted`]: the readers of messages, for checks with arbitrary bytes. Nothing in Loopdeck uses it.
//!
//! Streams are in an account of their own, and members in another, which asks the first for what `layout` names. The server
//! checks by subject who publishes what, and a reply never gets into the streams. Every message is signed besides, for its subject
//! and with a number that rises. What arrives is taken apart within bounds and never becomes a path.

mod answers;
pub mod authority;
mod claim;
mod codes;
mod commands;
mod connection;
mod context;
mod copies;
mod envelope;
mod full;
mod home;
pub mod invitation;
mod jwt;
mod key;
mod layout;
mod machines;
mod message;
mod messenger;
mod mirror;
mod nats;
mod needs;
mod numbers;
mod our_files;
mod outbox;
mod output;
mod owed;
mod own_shares;
mod parts;
mod place;
mod published;
mod publishing;
mod queue;
mod receiving;
pub mod seat;
pub mod server_token;
mod serving;
mod set_up;
pub mod share;
mod state;
mod stored;
mod team;
pub mod untrusted;
mod work;

pub use context::Participation;
pub use home::Home;
pub use set_up::{Ability, TriedTeam, enlist, set_up, try_out};
pub use state::{AnswerView, ConnectionView, MachineView, TeamView};
pub use team::Team;
pub use work::asked::{JobStage, JobView, PassedBy};
pub use work::job::{IfGone, Target};
pub use work::offer::{Offer, OfferedRepository};
pub use work::places::{RunPlace, RunPlaces};
pub use work::rules::{AllowedFolder, NodeRules};
