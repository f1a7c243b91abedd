@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// A column of the table of a graph file's operations.
enum PlanColumn: String, TableColumn {
    case step, index, name, queue, command, note

    /// An operation or array of the file.
    struct Row {
        /// The step, from 1.
        let step: Int
        /// The index of the first operation.
        let first: Int
        let entry: Entry
        let queue: String
        let kind: Work.Kind
        /// The names of the `onFailure` dependencies.
        let failures: [String]
        /// Whether all of these have to fail.
        let needsAllFailures: Bool

        /// The programs; empty for operations of other kinds.
        var commands: [[String]] {
            if case .commands(let commands) = kind { commands } else { [] }
        }

        /// The indices of the operations: `3`, or `3-12` for an array.
        var indices: String { entry.count == 1 ? "\(first)" : "\(first)-\(first + entry.count - 1)" }

        /// What the operation does, on one line.
        var command: String {
            switch kind {
            case .noOperation: "-"
            case .typed(let type, _): type.asShown
            case .commands(let commands): commands.map(Self.text).joined(separator: " & ")
            }
        }

        var note: String {
            let notes = [
                condition, entry.isHeld ? "held" : nil, entry.isBarrier ? "barrier" : nil,
                entry.isCancelled ? "cancelled" : nil,
            ]
            return notes.compactMap { $0 }.joined(separator: ", ")
        }

        /// What has to fail before the operation runs; nil for one that is not there for failures.
        private var condition: String? {
            guard !failures.isEmpty else { return nil }
            let names = failures.map(\.asShown)
            return needsAllFailures && names.count > 1
                ? "only if \(names.joined(separator: " and ")) fail"
                : "only if \(names.joined(separator: " or ")) fails"
        }

        /// A command; of a command for the shell, only the line.
        private static func text(of command: [String]) -> String {
            command.count == 3 && command[..<2] == ["/bin/sh", "-c"] ? command[2] : OperationText.commandLine(command)
        }
    }

    var column: TextTable.Column {
        switch self {
        case .step: .init("STEP", alignment: .right)
        case .index: .init("INDEX")
        case .name: .init("NAME", isFlexible: true)
        case .queue: .init("QUEUE", isFlexible: true)
        case .command: .init("COMMAND", isFlexible: true)
        case .note: .init("NOTE", isFlexible: true)
        }
    }

    func isOfInterest(to row: Row) -> Bool {
        switch self {
        case .name: row.entry.name != nil
        case .note: !row.note.isEmpty
        case .step, .index, .queue, .command: true
        }
    }

    func cell(of row: Row) -> TextTable.Cell {
        switch self {
        case .step: .init("\(row.step)")
        case .index: .init(row.indices)
        case .name: .init(row.entry.name?.asShown ?? "-")
        case .queue: .init(row.queue.asShown)
        case .command: .init(row.command)
        case .note: .init(row.note)
        }
    }
}
