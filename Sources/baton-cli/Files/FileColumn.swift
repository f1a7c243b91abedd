@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// A column of the list of files.
enum FileColumn: String, TableColumn {
    case operation, name, file, size, mode, attempt, digest, holders, copies, state

    /// The digits of a digest that a table shows, which tell the files of a job apart.
    private static let shownDigits = 12

    var column: TextTable.Column {
        switch self {
        case .operation: .init("OPERATION")
        case .name: .init("NAME", isFlexible: true)
        case .file: .init("FILE", isFlexible: true)
        case .size: .init("SIZE", alignment: .right)
        case .mode: .init("MODE", alignment: .right)
        case .attempt: .init("ATTEMPT", alignment: .right)
        case .digest: .init("DIGEST")
        case .holders: .init("HOLDERS", isFlexible: true)
        case .copies: .init("COPIES", alignment: .right)
        case .state: .init("STATE")
        }
    }

    func isOfInterest(to file: FileDocument) -> Bool {
        switch self {
        case .operation, .file, .size, .mode, .digest, .holders: true
        case .name: file.name != nil
        case .attempt: file.attempt > 1
        case .copies: file.copies > 1
        case .state: file.state != .held
        }
    }

    func cell(of file: FileDocument) -> TextTable.Cell {
        switch self {
        case .operation: .init(file.operation.description)
        case .name: .init(file.name?.asShown ?? "-")
        case .file: .init(file.path, keepsEnd: true)
        case .size: .init(ByteSize.roughText(of: file.size))
        case .mode: .init(file.mode)
        case .attempt: .init("\(file.attempt)")
        case .digest: .init(file.digest.map { String($0.prefix(Self.shownDigits)) } ?? "-")
        case .holders: .init(file.holders.isEmpty ? "-" : file.holders.map(\.asShown).joined(separator: " "))
        case .copies: .init("\(file.holders.count)/\(file.copies)")
        case .state: .init(file.state.rawValue, tone: file.state == .held ? .good : .bad)
        }
    }
}
