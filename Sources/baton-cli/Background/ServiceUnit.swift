/// A unit for systemd that runs a coordinator or a worker.
///
/// The units of the Debian package are these, with the package's program: see docker/systemd.
struct ServiceUnit {
    /// What the service runs.
    enum Role: String, CaseIterable, Sendable {
        case coordinator, worker
    }

    var role: Role
    /// The absolute path of the program.
    var program: String
    /// Whether the manager of a user runs the service, not that of the system.
    var isOfUser = false
    /// The state directory as an absolute path; nil stands for the usual one.
    var home: String?
    /// Further arguments of the program.
    var arguments: [String] = []

    /// The name of the unit without its suffix.
    var name: String { "baton-\(role)" }

    /// The directory for the unit.
    var directory: String { isOfUser ? "~/.config/systemd/user" : "/etc/systemd/system" }

    /// The user that runs a service of the system.
    ///
    /// Operations run as the user of their worker, and must not read the coordinator's keys.
    var user: String { role == .coordinator ? "baton" : "baton-worker" }

    /// The text of the unit.
    var text: String {
        let sections = [
            unitSection,
            "[Service]\n" + (execution + ending).joined(separator: "\n") + "\n\n" + confinement.joined(separator: "\n"),
            "[Install]\nWantedBy=\(isOfUser ? "default" : "multi-user").target",
        ]
        return sections.joined(separator: "\n\n") + "\n"
    }

    private var unitSection: String {
        let network = isOfUser ? "" : "\nWants=network-online.target\nAfter=network-online.target"
        return "[Unit]\nDescription=Baton \(role)\(network)"
    }

    // MARK: - What runs

    private var execution: [String] {
        var lines = ["Type=exec"]
        let command = ([program, role.rawValue] + arguments).map(Self.word).joined(separator: " ")
        guard !isOfUser else {
            if let home { lines.append("Environment=\(Self.word("BATON_HOME=\(home)", variables: false))") }
            return lines + ["ExecStart=\(command)", Self.reload] + (role == .coordinator ? ["UMask=0077"] : [])
        }
        if role == .worker { lines.append("# Not the coordinator's user, whose keys operations could read.") }
        let directory = home ?? "/var/lib/\(user)"
        lines += [
            "User=\(user)", "Group=\(user)",
            "Environment=\(Self.word("BATON_HOME=\(directory)", variables: false))",
            "EnvironmentFile=-/etc/default/\(name)",
            "ExecStart=\(command) $OPTIONS", Self.reload,
        ]
        if home == nil { lines += ["StateDirectory=\(user)", "StateDirectoryMode=0700"] }
        lines.append("WorkingDirectory=\(directory.replacing("%", with: "%%"))")
        return lines + (role == .coordinator ? ["UMask=0077"] : [])
    }

    /// Has the process read its files again; `$MAINPID` is systemd's own variable.
    ///
    /// Not every system has the program kill, but each has that of the shell.
    private static let reload = "ExecReload=/bin/sh -c 'kill -HUP $MAINPID'"

    private var ending: [String] {
        let lines = [
            "Restart=on-failure", "RestartSec=2s",
            "# A reload that comes before the process expects one ends it.", "RestartForceExitStatus=SIGHUP",
        ]
        switch role {
        case .coordinator:
            return lines + [
                "# A wrong command line, an unreadable record, something that is not allowed: the next start would end in the same way.",
                "RestartPreventExitStatus=64 65 77",
                "# It commits and answers what it has accepted.",
                "TimeoutStopSec=60s",
            ]
        case .worker:
            return lines + [
                "# A wrong command line, a key that is not admitted: the next start would end in the same way.",
                "RestartPreventExitStatus=64 77",
            ]
        }
    }

    // MARK: - What it may do

    private var confinement: [String] {
        switch role {
        case .worker:
            [
                "# Users' programs run here, so that nothing else is taken from them.",
                "NoNewPrivileges=yes",
                "# The worker alone gets the signal, and ends its operations in order; what is left after it is killed.",
                "KillMode=mixed",
                "TimeoutStopSec=30s",
                "# An operation that runs out of memory fails alone, and does not stop the worker.",
                "OOMPolicy=continue",
                "TasksMax=infinity",
                "# The worker limits the memory of operations by control groups of its own.",
                "Delegate=memory",
            ]
        case .coordinator:
            ["# It runs no programs, and needs its own directory and the network.", "NoNewPrivileges=yes"]
                + (isOfUser ? [] : namespaces) + filters
        }
    }

    /// The views of the system that a service may have; the manager of a user has no right to make them.
    private var namespaces: [String] {
        var lines = ["CapabilityBoundingSet=", "ProtectSystem=strict"]
        if let home { lines.append("ReadWritePaths=\(Self.word(home, variables: false))") }
        // The directories that `ProtectHome=` hides, on every host (systemd.exec(5)).
        let isInHome = [program, home ?? ""].contains { path in
            ["/home/", "/root/", "/run/user/"].contains(where: path.hasPrefix)
        }
        lines += [
            "ProtectHome=\(isInHome ? "read-only" : "yes")", "ProtectProc=invisible", "ProtectClock=yes",
            "ProtectHostname=yes", "ProtectKernelTunables=yes", "ProtectKernelModules=yes", "ProtectKernelLogs=yes",
            "ProtectControlGroups=yes", "PrivateTmp=yes", "PrivateDevices=yes",
        ]
        return lines
    }

    private var filters: [String] {
        [
            "# The last one is for the system's resolver of names.",
            "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK", "RestrictNamespaces=yes",
            "RestrictRealtime=yes", "RestrictSUIDSGID=yes", "LockPersonality=yes", "MemoryDenyWriteExecute=yes",
            "SystemCallArchitectures=native", "SystemCallFilter=@system-service", "SystemCallFilter=~@privileged",
            "SystemCallErrorNumber=EPERM",
        ]
    }

    // MARK: - Words

    /// A word as systemd reads it: its quotes, escapes, specifiers, and variables.
    ///
    /// - Parameter variables: whether systemd replaces variables at this place.
    private static func word(_ text: String, variables: Bool) -> String {
        var result = ""
        var isPlain = !text.isEmpty
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": result += "%%"
            case "$": result += variables ? "$$" : "$"
            case "\\", "\"":
                result += "\\\(scalar)"
                isPlain = false
            case "\n":
                result += "\\n"
                isPlain = false
            case "\t":
                result += "\\t"
                isPlain = false
            case " ", "'", ";", "#":
                result.unicodeScalars.append(scalar)
                isPlain = false
            default: result.unicodeScalars.append(scalar)
            }
        }
        return isPlain ? result : "\"\(result)\""
    }

    private static func word(_ text: String) -> String { word(text, variables: true) }
}
