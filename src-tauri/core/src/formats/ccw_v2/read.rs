//! Reading a Loop v2: the master, its companions and the task list.

pub(crate) mod companions;
pub(crate) mod task_list;
