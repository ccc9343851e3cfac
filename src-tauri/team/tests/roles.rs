//! What the server lets each role do, with real credentials on a real server; and what becomes of data that somebody who may do
//! everything puts in the place of another.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

use data_encoding::BASE64URL_NOPAD;
use loopdeck_team::seat::Role;
use loopdeck_team::share::{Scope, Steering};
use loopdeck_tests::live::ROOT;
use loopdeck_tests::raw_member::{Asked, RawMember};
use loopdeck_tests::team::{Machine, Server};
use serde_json::Value;

const LOOP: &str = "loop-v2-20261120T042421-d8ff7e62";
const ROLES: [Role; 4] = [Role::Viewer, Role::Member, Role::Lead, Role::Node];
/// Machines of each role.
const EACH: usize = 3;

/// Who may: viewers, members, leads, nodes.
type May = [bool; 4];
const ALL: May = [true; 4];
const NONE: May = [false; 4];
const NO_VIEWER: May = [false, true, true, true];
const NODES: May = [false, false, false, true];

/// Subjects, where `OWN` is the machine that asks and `HER` another one, and who may publish there. The server answers all of it.
const CALLS: [(&str, May); 72] = [
    // What is its own.
    ("$KV.MACHINES.OWN", ALL),
    ("$KV.LOOPS.OWN.0a.about", NO_VIEWER),
    ("$KV.PARTS.OWN.0a.f_0", NO_VIEWER),
    ("$KV.REPORTS.job.OWN", NO_VIEWER),
    ("output.OWN.0a.f.1", NO_VIEWER),
    ("cmd.HER.OWN", NO_VIEWER),
    ("answer.HER.OWN", NO_VIEWER),
    ("run.any.claude.OWN", NO_VIEWER),
    ("run.at.HER.OWN", NO_VIEWER),
    ("parcel.OWN.x", NO_VIEWER),
    ("$KV.LEASES.job", NODES),
    // The same of another.
    ("$KV.MACHINES.HER", NONE),
    ("$KV.LOOPS.HER.0a.about", NONE),
    ("$KV.PARTS.HER.0a.f_0", NONE),
    ("$KV.REPORTS.job.HER", NONE),
    ("output.HER.0a.f.1", NONE),
    ("cmd.OWN.HER", NONE),
    ("answer.OWN.HER", NONE),
    ("run.any.claude.HER", NONE),
    ("run.at.OWN.HER", NONE),
    ("parcel.HER.x", NONE),
    ("seen.LOOPS.HER.0a.about", NONE),
    ("$KV.OTHER.OWN", NONE),
    // Reading.
    ("$JS.API.DIRECT.GET.KV_LOOPS", ALL),
    ("$JS.API.DIRECT.GET.KV_LOOPS.$KV.LOOPS.HER.0a.about", ALL),
    ("$JS.API.DIRECT.GET.KV_PARTS.$KV.PARTS.HER.0a.f_0", ALL),
    ("$JS.API.DIRECT.GET.KV_MACHINES", ALL),
    ("$JS.API.DIRECT.GET.KV_REPORTS", ALL),
    ("$JS.API.DIRECT.GET.OUTPUT", ALL),
    ("$JS.API.DIRECT.GET.PARCELS", NO_VIEWER),
    ("$JS.API.DIRECT.GET.KV_LEASES.$KV.LEASES.job", NODES),
    ("$JS.API.DIRECT.GET.COMMANDS", NONE),
    ("$JS.API.DIRECT.GET.RUNS", NONE),
    // Queues.
    ("$JS.API.CONSUMER.MSG.NEXT.COMMANDS.commands_OWN_", NO_VIEWER),
    ("$JS.API.CONSUMER.MSG.NEXT.ANSWERS.answers_OWN_", NO_VIEWER),
    ("$JS.API.CONSUMER.MSG.NEXT.RUNS.at_OWN_", NODES),
    ("$JS.API.CONSUMER.MSG.NEXT.RUNS.any", NODES),
    ("$JS.API.CONSUMER.MSG.NEXT.COMMANDS.commands_HER_", NONE),
    ("$JS.API.CONSUMER.MSG.NEXT.ANSWERS.answers_HER_", NONE),
    ("$JS.API.CONSUMER.MSG.NEXT.RUNS.at_HER_", NONE),
    ("$JS.ACK.COMMANDS.commands_HER_.1.1.1.1.0", NONE),
    ("$JS.ACK.RUNS.at_HER_.1.1.1.1.0", NONE),
    // The rest of JetStream, and the server's own.
    ("$JS.API.INFO", NONE),
    ("$JS.API.ACCOUNT.PURGE.x", NONE),
    ("$JS.API.STREAM.CREATE.X", NONE),
    ("$JS.API.STREAM.UPDATE.KV_LOOPS", NONE),
    ("$JS.API.STREAM.DELETE.KV_LOOPS", NONE),
    ("$JS.API.STREAM.PURGE.KV_LOOPS", NONE),
    ("$JS.API.STREAM.INFO.KV_LOOPS", NONE),
    ("$JS.API.STREAM.LIST", NONE),
    ("$JS.API.STREAM.NAMES", NONE),
    ("$JS.API.STREAM.MSG.GET.KV_LOOPS", NONE),
    ("$JS.API.STREAM.MSG.DELETE.KV_LOOPS", NONE),
    ("$JS.API.STREAM.SNAPSHOT.KV_LOOPS", NONE),
    ("$JS.API.STREAM.RESTORE.KV_LOOPS", NONE),
    ("$JS.API.STREAM.LEADER.STEPDOWN.KV_LOOPS", NONE),
    ("$JS.API.STREAM.PEER.REMOVE.KV_LOOPS", NONE),
    ("$JS.API.CONSUMER.CREATE.KV_LOOPS", NONE),
    ("$JS.API.CONSUMER.CREATE.KV_LOOPS.x", NONE),
    ("$JS.API.CONSUMER.CREATE.RUNS.any.run.any.>", NONE),
    ("$JS.API.CONSUMER.DURABLE.CREATE.KV_LOOPS.x", NONE),
    ("$JS.API.CONSUMER.DELETE.COMMANDS.commands_HER_", NONE),
    ("$JS.API.CONSUMER.INFO.COMMANDS.commands_HER_", NONE),
    ("$JS.API.CONSUMER.LIST.COMMANDS", NONE),
    ("$JS.API.CONSUMER.NAMES.COMMANDS", NONE),
    ("$JS.API.CONSUMER.PAUSE.COMMANDS.commands_HER_", NONE),
    ("$JS.API.CONSUMER.LEADER.STEPDOWN.COMMANDS.commands_HER_", NONE),
    ("$JS.FC.KV_LOOPS.x", NONE),
    ("$SYS.REQ.SERVER.PING", NONE),
    ("$SYS.REQ.CLAIMS.UPDATE", NONE),
    ("_INBOX_HER_.x", NONE),
    ("anything", NONE),
];

/// Who may hear what.
const HEARS: [(&str, May); 9] = [
    ("seen.>", ALL),
    ("_INBOX_OWN_.>", ALL),
    ("_INBOX_HER_.>", NONE),
    (">", NONE),
    ("$KV.LOOPS.>", NONE),
    ("cmd.>", NONE),
    ("run.>", NONE),
    ("output.>", NONE),
    ("$JS.>", NONE),
];

/// A question that each API understands and that does no harm.
fn question(subject: &str) -> &'static str {
    match subject {
        subject if subject.contains("MSG.NEXT") => r#"{"batch":1,"no_wait":true}"#,
        subject if subject.contains("$KV.LOOPS.") || subject.ends_with("job") => "",
        subject if subject.contains("DIRECT.GET") => r#"{"seq":1,"batch":1,"next_by_subj":">"}"#,
        _ => "",
    }
}

/// The subject for a machine `OWN`, where `HER` is another.
fn filled(subject: &str, own: &str, her: &str) -> String {
    let name = |seat: &str| seat.replace('.', "_");
    let filled = subject.replace("OWN_", &name(own)).replace("HER_", &name(her));
    filled.replace("OWN", own).replace("HER", her)
}

/// The machines of a role, by name.
fn machines(server: &mut Server, role: Role) -> Vec<(String, RawMember)> {
    let tokio = RawMember::tokio();
    let seat = |number: usize| format!("{}{number}.pc", role.word());
    let machine = |seat: String| {
        let member = RawMember::new(&server.invite(&seat, role, None), &tokio);
        (seat, member)
    };
    (0..EACH).map(seat).map(machine).collect()
}

#[test]
fn each_role_may_call_and_hear_what_the_table_says() {
    let mut server = Server::start();
    let mut wrong = Vec::new();
    for (column, role) in ROLES.into_iter().enumerate() {
        let machines = machines(&mut server, role);
        for at in 0..EACH {
            let ((own, member), (her, _)) = (&machines[at], &machines[(at + 1) % EACH]);
            for (subject, may) in CALLS {
                let subject = filled(subject, own, her);
                let asked = member.ask(&subject, question(&subject));
                if (asked == Asked::Refused) == may[column] {
                    wrong.push(format!("{own}: {subject}: {asked:?}"));
                }
            }
            for (subject, may) in HEARS {
                let subject = filled(subject, own, her);
                if member.hears(&subject) != may[column] {
                    wrong.push(format!("{own} hears {subject}"));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Subjects of another on which an answer would do harm.
const HARMED: [&str; 8] = [
    "$KV.LOOPS.HER.0a.about",
    "$KV.MACHINES.HER",
    "$KV.LEASES.job",
    "$KV.REPORTS.job.HER",
    "cmd.OWN.HER",
    "run.any.claude.HER",
    "$JS.API.CONSUMER.MSG.NEXT.COMMANDS.commands_HER_",
    "$JS.API.STREAM.PURGE.KV_LOOPS",
];

#[test]
fn an_answer_never_gets_into_a_stream_wherever_it_is_wanted() {
    let mut server = Server::start();
    let tokio = RawMember::tokio();
    let everywhere = RawMember::new(&server.authority.operator().unwrap(), &tokio);
    let her = "her.pc";
    let victim = RawMember::new(&server.invite(her, Role::Node, None), &tokio);
    for (column, role) in ROLES.into_iter().enumerate() {
        let (own, member) = machines(&mut server, role).remove(0);
        let calls: Vec<String> = CALLS
            .iter()
            .filter(|(_, may)| may[column])
            .map(|(subject, _)| filled(subject, &own, her))
            .filter(|subject| subject != "$KV.LEASES.job") // what a node may do itself
            .collect();
        // A message for each of its queues, so that they have an answer.
        for subject in ["cmd.OWN.HER", "answer.OWN.HER", "run.at.OWN.HER"] {
            assert!(victim.keeps(&filled(subject, &own, her), b"hers".to_vec()));
        }
        for subject in ["$KV.LOOPS.HER.0a.about", "$KV.MACHINES.HER", "$KV.LEASES.job", "$KV.REPORTS.job.HER"]
        {
            assert!(victim.keeps(&filled(subject, &own, her), b"hers".to_vec()));
        }
        assert!(everywhere.keeps("cmd.her.pc.some.one", b"to her".to_vec()));
        let last = |subject: &str| everywhere.last(subject);
        let targets: Vec<String> = HARMED.iter().map(|subject| filled(subject, &own, her)).collect();
        let before: Vec<_> = targets.iter().map(|target| last(target)).collect();
        let given = everywhere.delivered("COMMANDS", "commands_her_pc");
        for call in &calls {
            for target in &targets {
                member.ask_for(call, question(call), target);
            }
        }
        // Asked after all of it, and answered after all of it.
        assert!(matches!(
            member.ask("$JS.API.DIRECT.GET.KV_MACHINES", question("DIRECT.GET")),
            Asked::Answered(_)
        ));
        for (target, before) in targets.iter().zip(before) {
            assert_eq!(last(target), before, "{own}: {target}");
        }
        assert_eq!(everywhere.delivered("COMMANDS", "commands_her_pc"), given, "{own} takes her commands");
    }
}

/// The key of the state file of the loop.
fn key(ada: &Machine) -> String {
    let share = ada.team.as_ref().unwrap().shares()[0].id();
    let file = BASE64URL_NOPAD.encode(format!("{ROOT}/{LOOP}.json").as_bytes());
    format!("ada.laptop.{share}.f_{file}")
}

/// The number of a message.
fn number(message: &[u8]) -> u64 {
    let first = message.split(|byte| *byte == b'\n').next().unwrap();
    String::from_utf8_lossy(first).split(' ').nth(2).and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[test]
fn what_is_put_in_the_place_of_another_is_not_believed_and_put_right_at_once() {
    let mut server = Server::start();
    let ada = server.machine("ada.laptop", Role::Member);
    let mut bob = server.machine("bob.tower", Role::Viewer);
    let everywhere = RawMember::new(&server.authority.operator().unwrap(), &RawMember::tokio());
    ada.write(LOOP, "running");
    ada.share(Scope::State, Steering::Leads);
    bob.wait_for(LOOP, |row| row.file_word == "running");
    let (key, share) = (key(&ada), ada.team.as_ref().unwrap().shares()[0].id());
    let about = format!("ada.laptop.{share}.about");
    let value = |key: &str| everywhere.value("LOOPS", key).unwrap_or_default();
    let old = value(&key);
    // Under its own name, a message that says that it is another, far ahead.
    let mallory = RawMember::new(&server.invite("mallory.pc", Role::Member, None), &RawMember::tokio());
    let theirs = format!("$KV.LOOPS.{about}");
    mallory.publish_as_stored("$KV.LOOPS.mallory.pc.0a.about", [&theirs, "99999999"]);
    ada.write(LOOP, "paused");
    bob.wait_for(LOOP, |row| row.file_word == "paused");

    // An older version of her own, garbage, and the mark of a deletion: on the file and on the folder.
    let stays = |what: &str, key: &str, put: &dyn Fn(&str)| {
        let before = number(&value(key));
        put(&format!("$KV.LOOPS.{key}"));
        bob.until(what, || {
            let row = bob.foreign(LOOP).unwrap_or_else(|| panic!("{what}: it is gone"));
            assert_eq!(row.file_word, "paused", "{what}");
            (number(&value(key)) > before).then_some(())
        });
    };
    stays("an older version", &key, &|subject| assert!(everywhere.keeps(subject, old.clone())));
    for key in [&key, &about] {
        stays("garbage", key, &|subject| assert!(everywhere.keeps(subject, b"garbage".to_vec())));
        stays("a deletion", key, &|subject| everywhere.mark_deleted(subject));
    }

    let marked = (format!("$KV.LOOPS.{key}"), format!("$KV.LOOPS.{about}"));
    let ada = stays_while_its_owner_is_away((ada, &mut bob), &everywhere, (&marked.0, &marked.1, old));

    // She takes it back herself, while the other is away: it goes.
    bob.team.take();
    let workspace = ada.workspace.clone();
    ada.team.as_ref().unwrap().unshare(&workspace).unwrap();
    bob.until("her word", || {
        let said: Value = serde_json::from_slice(value(&about).split(|byte| *byte == b'\n').nth(1)?).ok()?;
        (said["gone"] == true).then_some(())
    });
    bob.open();
    bob.until("it is gone", || bob.foreign(LOOP).is_none().then_some(()));
}

/// The same while its owner is away and can't put it right, and after a restart of the reader.
fn stays_while_its_owner_is_away(
    (mut ada, bob): (Machine, &mut Machine),
    everywhere: &RawMember,
    (key, about, old): (&str, &str, Vec<u8>),
) -> Machine {
    ada.team.take();
    bob.team.take();
    assert!(everywhere.keeps(key, old));
    everywhere.mark_deleted(about);
    bob.open();
    bob.until("all that is there", || bob.team.as_ref().unwrap().is_current().then_some(()));
    let row = bob.foreign(LOOP).expect("it stays");
    assert_eq!(row.file_word, "paused");
    let away = |bob: &Machine| {
        let row = bob.foreign(LOOP)?;
        bob.runtime.elsewhere(&row.key)?.unreachable_since
    };
    assert!(away(bob).is_some(), "its folder is not there");
    ada.open();
    bob.until("it is there again", || away(bob).is_none().then_some(()));
    ada
}
