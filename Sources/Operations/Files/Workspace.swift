/// Where the commands of an attempt run.
@_spi(Baton) public enum Workspace: String, Sendable, CaseIterable {
    /// In the directory of the operation, which other attempts and operations share.
    case shared
    /// In an empty directory of the attempt, which is removed once its files are kept.
    case fresh
}

@_spi(Baton) extension Workspace: OptionConvertible {
    var optionValue: OptionValue { .text(rawValue) }

    init?(_ value: OptionValue) {
        guard case .text(let text) = value else { return nil }
        self.init(rawValue: text)
    }
}
