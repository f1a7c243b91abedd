@_spi(Baton) import BatonProcesses
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The variables that attempts inherit from their worker") struct InheritedVariableTests {
    @Test(
        "A variable that names what only the worker has is not inherited",
        arguments: [
            "TERM", "TERMCAP", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORTERM", "SSH_TTY", "SSH_CONNECTION",
            "NOTIFY_SOCKET", "LISTEN_FDS", "JOURNAL_STREAM", "INVOCATION_ID", "SYSTEMD_EXEC_PID", "MANAGERPID",
            "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE", "CREDENTIALS_DIRECTORY", "STATE_DIRECTORY", "MAKEFLAGS",
            "GNUMAKEFLAGS", "CARGO_MAKEFLAGS", "WINDOW", "KITTY_PID", "ZELLIJ_PANE_ID", "TILIX_ID", "NVIM",
            "TRIGGER_UNIT", "PIDFILE", "LOG_NAMESPACE", "MAKEOVERRIDES",
            "MAKE_TERMOUT", "MAKE_TERMERR", "PWD", "SHLVL", "BATON_HOME",
            "TRACEPARENT",
        ]
    )
    func own(name: String) {
        #expect(!ProcessEnvironment.isInherited(name, isClean: false))
    }

    @Test(
        "Any other variable is inherited",
        arguments: [
            "PATH", "HOME", "LANG", "SSH_AUTH_SOCK", "CARGO_HOME", "MAKE", "XDG_RUNTIME_DIR", "TERMINFO", "KITTY",
            "MAKEFILES", "term",
        ]
    )
    func others(name: String) {
        #expect(ProcessEnvironment.isInherited(name, isClean: false))
    }
}
