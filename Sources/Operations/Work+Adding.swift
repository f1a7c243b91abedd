extension Work {
    /// The most programs of an operation to which one can be added: they all travel to a worker, and start there at once.
    public static let mostCommands = 1000
    /// The most bytes that the programs of such an operation have together with their arguments.
    public static let mostCommandBytes = 1 << 20

    /// The programs once one more is added (BL2).
    ///
    /// - Parameter operation: whose work it is, for the refusal.
    /// - Throws: ``Refusal`` `invalid` where the work is none of programs, where the program cannot be one, and where there
    ///   would be too many.
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

    /// Checks that each of some programs can be started with its arguments.
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

extension Refusal {
    /// An operation does not get another program (BL2).
    public static func noCommandAdded(to operation: OperationID, because reason: String) -> Refusal {
        Refusal(.invalid, "No command was added to \(operation), because \(reason).")
    }

    /// An operation does not get another program, because it has started (BL2).
    public static func noCommandAdded(to operation: OperationID, in state: OperationState) -> Refusal {
        .noCommandAdded(to: operation, because: "it is \(state); only an operation that has not started takes another")
    }
}
