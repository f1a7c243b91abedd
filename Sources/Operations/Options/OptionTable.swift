/// A value whose properties store options.
@_spi(Baton) public protocol OptionOwner: Sendable {
    /// The options that the value stores.
    static var options: OptionTable<Self> { get }
}

/// The options that one kind of value stores, in the order of their numbers.
///
/// The functions are inlinable, because unspecialised generic code would take many times the instructions.
@_spi(Baton) public struct OptionTable<Owner: Sendable>: Sendable {
    /// An option, with the access to its property.
    public struct Row: Sendable {
        /// The option.
        public let option: OperationOption
        @usableFromInline let access: OptionAccess<Owner>
    }

    /// The rows, in the order of their numbers.
    public let rows: [Row]

    /// The options that an operation's value has set.
    ///
    /// - Complexity: O(options).
    @inlinable public func settings(of owner: Owner) -> [(option: OperationOption, value: OptionValue)] {
        var settings: [(option: OperationOption, value: OptionValue)] = []
        for row in rows {
            if let value = row.access.read(owner) { settings.append((row.option, value)) }
        }
        return settings
    }

    /// Returns the row of a number; nil for an unknown number.
    @inlinable public func row(numbered number: Int) -> Row? {
        for position in rows.indices where rows[position].option.number == number { return rows[position] }
        return nil
    }

    /// Returns the row of a key; nil for an unknown key.
    public func row(named key: String) -> Row? { rows.first { $0.option.key == key } }

    /// The options that a later version of the option set introduced.
    func introduced(after version: Int) -> OptionTable {
        OptionTable(rows: rows.filter { $0.option.version > version })
    }

    init(_ access: (OperationOption.Storage) -> OptionAccess<Owner>?) {
        self.init(
            rows: OperationOption.all
                .compactMap { option in access(option.storage).map { Row(option: option, access: $0) } }
                .sorted { $0.option.number < $1.option.number }
        )
    }

    init(rows: [Row]) { self.rows = rows }
}

@_spi(Baton) extension OptionTable.Row {
    /// Sets the value of a value's option, also to the default.
    ///
    /// - Returns: false, and nothing is changed, for a value that the property's type cannot hold.
    @inlinable public func assign(_ value: OptionValue, to owner: inout Owner) -> Bool { access.write(&owner, value) }

    /// Sets the value of a value's option.
    ///
    /// - Returns: false for the default, for a value that the property's type cannot hold, and for another spelling of a value.
    @inlinable public func set(_ value: OptionValue, in owner: inout Owner) -> Bool {
        access.write(&owner, value) && access.read(owner) == value
    }
}

@_spi(Baton) extension Work: OptionOwner {
    /// The options that workers have to know.
    public static let options = OptionTable<Work> { if case .work(let access) = $0 { access } else { nil } }
}

@_spi(Baton) extension Template: OptionOwner {
    /// The options that similar operations share, except for the options of their work.
    public static let options = OptionTable<Template> { if case .template(let access) = $0 { access } else { nil } }
}

@_spi(Baton) extension Entry: OptionOwner {
    /// The options of a single entry.
    public static let options = OptionTable<Entry> { if case .entry(let access) = $0 { access } else { nil } }

    /// Whether the entry has the default of each option.
    ///
    /// The check takes a few instructions, and nearly all of a million entries pass.
    @inlinable public var hasDefaultOptions: Bool {
        priority == .normal && delay == nil && !isHeld && !isBarrier
    }
}
