//! Jobs: the system's own lists of processes that belong together.

use crate::call::{done, error, last_error, length_of, owned};
use std::io;
use std::mem::ManuallyDrop;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle};
use windows_sys::Win32::Foundation::ERROR_MORE_DATA;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_PROCESS_ID_LIST, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// A job that this process is in. Whatever starts below it is in it from its first instruction and cannot leave; all of them end when
/// this process ends, however that happens. Its handle is never closed before: that would end this process in the middle.
#[derive(Debug)]
pub struct Job(ManuallyDrop<OwnedHandle>);

impl Job {
    /// Makes a job with this process in it.
    ///
    /// # Errors
    /// What the system says: this process is in a job already that allows no other.
    pub fn with_this_process() -> io::Result<Self> {
        // SAFETY: no attributes and no name are asked for; nothing is read.
        let job = owned(unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) })?;
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let length = length_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>();
        // SAFETY: the handle is a job's, and `limits` is what this class of information reads, for as long as the call takes.
        done(unsafe {
            SetInformationJobObject(
                job.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                length,
            )
        })?;
        // SAFETY: it returns a constant.
        let me = unsafe { GetCurrentProcess() };
        // SAFETY: both are handles of what they are said to be of.
        done(unsafe { AssignProcessToJobObject(job.as_raw_handle(), me) })?;
        Ok(Self(ManuallyDrop::new(job)))
    }

    /// The processes that are in it now, this one included.
    ///
    /// # Errors
    /// What the system says.
    pub fn processes(&self) -> io::Result<Vec<u32>> {
        // The system writes two counts of 32 bits, then one number of the width of a pointer for each process.
        let head = std::mem::offset_of!(JOBOBJECT_BASIC_PROCESS_ID_LIST, ProcessIdList) / size_of_number();
        let mut room = 64;
        loop {
            let mut list = vec![0_usize; head + room];
            let length = u32::try_from(list.len() * size_of_number()).unwrap_or(u32::MAX);
            // SAFETY: the handle is a job's; `length` bytes of `list` may be written, and it is aligned for what is.
            let answer = unsafe {
                QueryInformationJobObject(
                    self.0.as_raw_handle(),
                    JobObjectBasicProcessIdList,
                    list.as_mut_ptr().cast(),
                    length,
                    std::ptr::null_mut(),
                )
            };
            if answer != 0 {
                // SAFETY: the list is at least as large as this head, aligned for it, and the system has written it.
                let counts = unsafe { list.as_ptr().cast::<JOBOBJECT_BASIC_PROCESS_ID_LIST>().read() };
                let listed = list[head..].iter().take(counts.NumberOfProcessIdsInList as usize);
                return Ok(listed.filter_map(|pid| u32::try_from(*pid).ok()).collect());
            }
            if last_error() != ERROR_MORE_DATA {
                return Err(error(last_error()));
            }
            room *= 2;
        }
    }
}

const fn size_of_number() -> usize {
    size_of::<usize>()
}
