//! Whole behaviour without a window, one module a subject, and one program: each program of tests links everything again.
//! A test that counts what its process holds, or is killed, runs in a process of its own: it starts this program with `--exact`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

mod attention_rules;
mod changing;
mod companions;
mod comparing;
mod controlling;
mod controlling_together;
mod deciding;
mod dependencies;
mod diagnostics;
mod facts_counted;
mod following;
#[cfg(unix)]
mod hostile_files;
#[cfg(unix)]
mod hostile_reads;
mod hostile_writers;
mod journal;
mod journal_events;
mod journal_shared;
mod killed;
mod killed_steps;
mod killed_together;
mod links;
mod model_server;
mod noting;
mod overview;
mod recovering;
mod repairing;
mod rooms;
mod runs_log;
mod sample_workspace;
mod searching;
mod seed_examples;
mod spec_references;
mod task_lists;
mod team;
mod team_failing;
mod team_killed;
mod team_output;
mod team_runs;
mod team_sharing;
mod team_token;
mod trends;
mod upgrading;
mod version;
mod watching;

#[cfg(target_os = "linux")]
mod agent_environment;
#[cfg(target_os = "linux")]
mod beside;
#[cfg(target_os = "linux")]
mod drafting;
#[cfg(target_os = "linux")]
mod driving;
#[cfg(target_os = "linux")]
mod driving_aot;
#[cfg(target_os = "linux")]
mod driving_aot_found;
#[cfg(target_os = "linux")]
mod driving_aot_options;
#[cfg(target_os = "linux")]
mod driving_asking;
#[cfg(target_os = "linux")]
mod driving_changes;
#[cfg(target_os = "linux")]
mod driving_comments;
#[cfg(target_os = "linux")]
mod driving_control;
#[cfg(target_os = "linux")]
mod driving_debugging;
#[cfg(target_os = "linux")]
mod driving_ended;
#[cfg(target_os = "linux")]
mod driving_failing;
#[cfg(target_os = "linux")]
mod driving_found;
#[cfg(target_os = "linux")]
mod driving_limits;
#[cfg(target_os = "linux")]
mod driving_loop_b;
#[cfg(target_os = "linux")]
mod driving_many;
#[cfg(target_os = "linux")]
mod driving_menu;
#[cfg(target_os = "linux")]
mod driving_plan;
#[cfg(target_os = "linux")]
mod driving_proof;
#[cfg(target_os = "linux")]
mod driving_ralph;
#[cfg(target_os = "linux")]
mod driving_resuming;
#[cfg(target_os = "linux")]
mod driving_starting;
#[cfg(target_os = "linux")]
mod driving_tests;
#[cfg(target_os = "linux")]
mod driving_tools;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod field_agents;
#[cfg(target_os = "linux")]
mod follow_ups;
#[cfg(target_os = "linux")]
mod hung_folder;
#[cfg(target_os = "linux")]
mod journal_faults;
#[cfg(target_os = "linux")]
mod own_tool;
#[cfg(target_os = "linux")]
mod real_agents;
#[cfg(target_os = "linux")]
mod reverting;
#[cfg(target_os = "linux")]
mod runs_ending;
#[cfg(target_os = "linux")]
mod runs_found;
#[cfg(target_os = "linux")]
mod runs_many;
#[cfg(target_os = "linux")]
mod runs_talking;
#[cfg(target_os = "linux")]
mod scripted_agent;
#[cfg(target_os = "linux")]
mod seed_rows;
#[cfg(target_os = "linux")]
mod slow_shell;
#[cfg(target_os = "linux")]
mod team_asking;
#[cfg(target_os = "linux")]
mod team_chaos;
#[cfg(target_os = "linux")]
mod trying;

#[cfg(unix)]
mod opening;
#[cfg(unix)]
mod tiny_project;
