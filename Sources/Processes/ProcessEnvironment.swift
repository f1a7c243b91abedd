import CBatonSpawn
import Glibc

/// The variables that processes start from, encoded once for execve(2) and then shared by any number of launches.
@_spi(Baton) public struct ProcessEnvironment: Sendable {
    /// `NAME=value` after `NAME=value`, each ended by a zero byte.
    let bytes: [UInt8]

    /// The start of each variable in `bytes`.
    let offsets: [Int]

    /// The index in `offsets` of each name's variable.
    let indices: [String: Int]

    /// The value of `PATH`.
    private let path: String?

    /// The directories of `PATH` in UTF-8, each with a slash at its end; an empty one is the working directory.
    let programDirectories: [[UInt8]]

    /// The names of variables that tell of the shell, or of its directory, that has started this process.
    public static let shellNames: Set<String> = [LogicalDirectory.variable, "OLDPWD", "_", "SHLVL"]

    /// The names of variables that tell a process of its own terminal, service manager or make(1): its children do not have
    /// the terminal, descriptors, sockets, process ids and directories that they name.
    public static let surroundingNames: Set<String> = terminalNames.union(serviceNames).union(makeNames)

    /// Set by terminals, terminal multiplexers and sshd(8).
    private static let terminalNames: Set<String> = [
        "TERM", "TERMCAP", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "COLORTERM", "VTE_VERSION",
        "COLUMNS", "LINES", "WINDOWID", "TMUX", "TMUX_PANE", "STY", "WINDOW", "ZELLIJ", "GPG_TTY", "SSH_TTY",
        "SSH_CONNECTION", "SSH_CLIENT", "COLORFGBG", "LC_TERMINAL", "LC_TERMINAL_VERSION", "SHELL_SESSION_ID",
        "TERMINAL_EMULATOR", "TILIX_ID", "ROXTERM_ID", "WT_SESSION", "WT_PROFILE_ID", "INSIDE_EMACS", "NVIM",
        "NVIM_LISTEN_ADDRESS", "VIM_TERMINAL", "VSCODE_INJECTION",
    ]

    /// The beginnings of further names that terminals give to their sockets, windows and sessions.
    public static let surroundingPrefixes = [
        "ALACRITTY_", "GHOSTTY_", "GNOME_TERMINAL_", "ITERM_", "KITTY_", "KONSOLE_", "TERMINATOR_", "VSCODE_IPC_",
        "WEZTERM_", "ZELLIJ_",
    ]

    /// Set by systemd for a unit's own processes (systemd.exec(5), "Environment Variables Set or Propagated by the Service Manager").
    private static let serviceNames: Set<String> = [
        "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID", "LISTEN_PIDFDID", "FDSTORE", "WATCHDOG_USEC",
        "WATCHDOG_PID", "JOURNAL_STREAM", "INVOCATION_ID", "SYSTEMD_EXEC_PID", "MAINPID", "MAINPIDFDID", "MANAGERPID",
        "MANAGERPIDFDID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE", "CREDENTIALS_DIRECTORY",
        "TRIGGER_UNIT", "TRIGGER_PATH", "SERVICE_RESULT", "PIDFILE", "LOG_NAMESPACE", "REMOTE_ADDR", "REMOTE_PORT",
        "RUNTIME_DIRECTORY", "STATE_DIRECTORY",
        "CACHE_DIRECTORY", "LOGS_DIRECTORY", "CONFIGURATION_DIRECTORY",
    ]

    /// Set by make(1), and by cargo for its children, which use the jobserver of make.
    private static let makeNames: Set<String> = [
        "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL", "MAKE_RESTARTS", "MAKE_TERMOUT", "MAKE_TERMERR",
        "MAKEOVERRIDES", "CARGO_MAKEFLAGS",
    ]

    /// Whether there is a variable of a name.
    public func contains(_ name: String) -> Bool { indices[name] != nil }

    /// The names of the variables.
    public var names: Set<String> { Set(indices.keys) }

    /// Encodes exactly these variables.
    ///
    /// - Throws: `LaunchFailure` for a name that is empty or contains `=`, and for a zero byte.
    public init(_ variables: [String: String]) throws(LaunchFailure) {
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        var indices: [String: Int] = [:]
        for (name, value) in variables {
            try Self.check(name: name, value: value)
            indices[name] = offsets.count
            offsets.append(bytes.count)
            bytes.append(variable: name, value: value)
        }
        self.bytes = bytes
        self.offsets = offsets
        self.indices = indices
        path = variables["PATH"]
        programDirectories = Self.programDirectories(of: variables["PATH"])
    }

    /// The present variables of this process, byte by byte, without some.
    ///
    /// - Parameter names: the names of variables to leave out.
    public static func inherited(except names: Set<String> = []) -> ProcessEnvironment {
        inherited { !names.contains($0) }
    }

    /// The present variables of this process, byte by byte, whose names meet a condition.
    public static func inherited(where isWanted: (String) -> Bool) -> ProcessEnvironment {
        ProcessEnvironment(pointers: cspawn_environment(), where: isWanted)
    }

    private init(
        pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
        where isWanted: (String) -> Bool
    ) {
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        var indices: [String: Int] = [:]
        var path: String?
        var next = pointers
        while let variable = next?.pointee {
            let text = UnsafeBufferPointer(start: variable, count: strlen(variable) + 1)
                .withMemoryRebound(to: UInt8.self) { Array($0) }
            next = next?.advanced(by: 1)
            guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: text[..<equals], as: UTF8.self)
            if isWanted(name) {
                if name == "PATH" { path = String(decoding: text[(equals + 1)...].dropLast(), as: UTF8.self) }
                indices[name] = offsets.count
                offsets.append(bytes.count)
                bytes.append(contentsOf: text)
            }
        }
        self.bytes = bytes
        self.offsets = offsets
        self.indices = indices
        self.path = path
        programDirectories = Self.programDirectories(of: path)
    }

    /// The variables with some more; a variable of the same name is replaced.
    ///
    /// - Throws: `LaunchFailure` for a name that is empty or contains `=`, and for a zero byte.
    public func setting(_ variables: [String: String]) throws(LaunchFailure) -> ProcessEnvironment {
        var (bytes, offsets, indices) = (bytes, offsets, indices)
        for (name, value) in variables {
            try Self.check(name: name, value: value)
            if let index = indices[name] {
                offsets[index] = bytes.count
            } else {
                indices[name] = offsets.count
                offsets.append(bytes.count)
            }
            bytes.append(variable: name, value: value)
        }
        return ProcessEnvironment(bytes: bytes, offsets: offsets, indices: indices, path: variables["PATH"] ?? path)
    }

    private init(bytes: [UInt8], offsets: [Int], indices: [String: Int], path: String?) {
        self.bytes = bytes
        self.offsets = offsets
        self.indices = indices
        self.path = path
        programDirectories = Self.programDirectories(of: path)
    }

    private static func programDirectories(of path: String?) -> [[UInt8]] {
        // Without any PATH, use the value of confstr(_CS_PATH) on this system.
        (path ?? "/bin:/usr/bin").utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { directory -> [UInt8] in directory.isEmpty ? [] : Array(directory) + [UInt8(ascii: "/")] }
    }

    /// Each variable as `NAME=value`, with the zero byte that ends it.
    var texts: [[CChar]] {
        offsets.map { offset in bytes[offset...].prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0] }
    }

    /// Rejects variables that execve(2) cannot express.
    static func check(name: String, value: String) throws(LaunchFailure) {
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "=")) else {
            throw LaunchFailure(.invalid, "\"\(name)\" cannot be the name of an environment variable")
        }
        guard !name.hasZeroByte, !value.hasZeroByte else {
            throw LaunchFailure(.invalid, "the environment variable \"\(name)\" has a zero byte")
        }
    }
}

extension [UInt8] {
    /// Adds `NAME=value` and the zero byte that ends it.
    mutating func append(variable name: String, value: String) {
        append(contentsOf: name.utf8)
        append(UInt8(ascii: "="))
        append(contentsOf: value.utf8)
        append(0)
    }
}
