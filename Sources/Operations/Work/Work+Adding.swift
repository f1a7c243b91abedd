@_spi(Baton) extension Work {
    /// The most programs of an operation to which a program can be added: all travel to one worker, and start at once.
    public static let mostCommands = 1000
    /// The most bytes of all programs of such an operation, with their arguments.
    public static let mostCommandBytes = 1 << 20

    /// Returns the programs after the addition of another (BL2).
    ///
    /// - Parameter operation: the operation with this work, for the refusal.
    /// - Throws: ``Refusal`` `invalid` if the work does not consist of programs, if the new program is not valid, or if the
    ///   programs would exceed a limit.
    public func commands(adding command: [String], to operation: OperationID) throws(Refusal) -> [[String]] {
        guard case .commands(let commands) = kind else {
            throw .noCommandAdded(to: operation, because: "it runs no commands; submit another operation for this one")
        }
        let all = commands + [command]
        try Work.check(commands: [command])
        let length = all.joined().reduce(0) { $0 + $1.utf8.count }
        guard all.count <= Self.mostCommands, length <= Self.mostCommandBytes else {
            throw .noCommandAdded(
                to: operation,
                because: "an operation may have at most \(Self.mostCommands) commands, of \(Self.mostCommandBytes) "
                    + "bytes in all; submit another operation for this one"
            )
        }
        return all
    }

    /// Checks that programs can be started with their arguments.
    ///
    /// - Throws: ``Refusal`` `invalid`.
    static func check(commands: [[String]]) throws(Refusal) {
        guard !commands.isEmpty, !commands.contains(where: { $0.isEmpty || $0[0].isEmpty }) else {
            throw Refusal(.invalid, "A command is empty. Give a program and its arguments.")
        }
        guard !commands.joined().contains(where: { $0.utf8.contains(0) }) else {
            throw Refusal(.invalid, "An argument has a NUL in it, which no program can be given.")
        }
    }
}

@_spi(Baton) extension Refusal {
    /// Refuses to add a program to an operation (BL2).
    public static func noCommandAdded(to operation: OperationID, because reason: String) -> Refusal {
        Refusal(.invalid, "No command was added to \(operation), because \(reason).")
    }

    /// Refuses to add a program to an operation that has started (BL2).
    public static func noCommandAdded(to operation: OperationID, in state: OperationState) -> Refusal {
        .noCommandAdded(to: operation, because: "it is \(state); only an operation that has not started takes another")
    }

    /// Refuses to add a program to an operation that waits for its next attempt (BL2).
    public static func noCommandAddedBetweenAttempts(of operation: OperationID) -> Refusal {
        .noCommandAdded(
            to: operation,
            because: "it has started before, and its next attempt runs the same commands; "
                + "submit another operation for this one"
        )
    }
}
