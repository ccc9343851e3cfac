//! Signatures of what Windows installs and runs, where a person has a certificate for them: `LOOPDECK_CERTIFICATE` names a PKCS#12 file,
//! `LOOPDECK_CERTIFICATE_PASSWORD` has its password. Without them nothing is signed, and Windows says that it doesn't know who made it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tempfile::NamedTempFile;
use xtask::Failure;

use super::tools::{Tools, debian};
use crate::{steps, system};

/// Says when a file was signed: a signature without that ends with its certificate.
const TIMES: &str = "http://timestamp.digicert.com";

/// A certificate, and the program that signs with it.
pub(super) struct Signer {
    program: PathBuf,
    certificate: PathBuf,
    /// A file that only this user can read: arguments are seen by everybody.
    password: NamedTempFile,
    /// Whether somebody else says when it was.
    has_times: bool,
}

impl Signer {
    /// With the certificate that the environment names.
    pub(super) fn of_environment(tools: &Tools) -> Result<Option<Self>, Failure> {
        let Some(certificate) = env::var_os("LOOPDECK_CERTIFICATE").filter(|path| !path.is_empty()) else {
            return Ok(None);
        };
        let password = env::var("LOOPDECK_CERTIFICATE_PASSWORD").unwrap_or_default();
        Ok(Some(Self::new(tools, certificate.into(), &password, true)?))
    }

    fn new(tools: &Tools, certificate: PathBuf, password: &str, has_times: bool) -> Result<Self, Failure> {
        let unpacked = || debian(&tools.state, "osslsigncode", &["osslsigncode"]);
        let program = match system::find_program("osslsigncode") {
            Some(installed) => installed,
            None => unpacked()?.join("usr/bin/osslsigncode"),
        };
        let mut file = NamedTempFile::new()?;
        file.write_all(password.as_bytes())?;
        Ok(Self { program, certificate, password: file, has_times })
    }

    /// Signs a program or an installer.
    pub(super) fn sign(&self, file: &Path) -> Result<(), Failure> {
        let signed = file.with_extension("signed");
        let mut command = Command::new(&self.program);
        command.arg("sign").arg("-pkcs12").arg(&self.certificate).arg("-readpass").arg(self.password.path());
        command.args(["-h", "sha256", "-n", "Loopdeck"]);
        if self.has_times {
            command.args(["-ts", TIMES]);
        }
        steps::run("osslsigncode", command.arg("-in").arg(file).arg("-out").arg(&signed))?;
        Ok(fs::rename(signed, file)?)
    }
}

/// Signs copies of these with a certificate that is made for it, and looks at what came out.
pub(super) fn try_out(tools: &Tools, files: &[&Path]) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let openssl = |line: &str| {
        let mut command = Command::new("openssl");
        steps::run("openssl", command.current_dir(folder.path()).args(line.split(' ')))
    };
    openssl(
        "req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -days 2 -subj /CN=Loopdeck \
         -addext extendedKeyUsage=codeSigning",
    )?;
    openssl("pkcs12 -export -inkey key -in certificate -out both -passout pass:secret")?;
    let signer = Signer::new(tools, at("both"), "secret", false)?;
    for file in files {
        let copy = at("copy").with_extension(file.extension().unwrap_or_default());
        fs::copy(file, &copy)?;
        signer.sign(&copy)?;
        let mut verify = Command::new(&signer.program);
        verify.arg("verify").arg("-CAfile").arg(at("certificate")).arg("-in").arg(&copy);
        steps::output(&mut verify)?;
    }
    Ok(())
}
