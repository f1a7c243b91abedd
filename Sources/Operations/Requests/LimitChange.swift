/// A change of a limit that several queues share: its new number of units, or its removal.
@_spi(Baton) public struct LimitChange: Hashable, Sendable {
    /// The limit's name, by the rule for the names of resources.
    public var name: String
    /// The most units that operations at workers may take together, in the whole cluster; nil removes the limit.
    public var units: UInt32?

    /// The most units of a limit.
    public static let maximumUnits: UInt32 = 1_000_000
    /// The most limits of a cluster.
    public static let maximumCount = 1000

    /// Describes a change.
    public init(_ name: String, units: UInt32?) {
        self.name = name
        self.units = units
    }

    /// Checks the name and the number.
    ///
    /// - Throws: ``Refusal`` `invalid`.
    public func validated() throws(Refusal) {
        guard ResourceName.isValid(name) else {
            throw Refusal(.invalid, "\"\(name.asShown)\" cannot be the name of a limit: \(ResourceName.rule).")
        }
        // No operation can take units of such a name, whose amounts would be mistaken for memory or processors.
        if let objection = OptionForm.objection(toResource: name) {
            throw Refusal(.invalid, "The name of a limit \(objection).")
        }
        if let units, units > Self.maximumUnits {
            throw Refusal(
                .invalid,
                "The limit \"\(name)\" cannot have \(units) units: it has from 0 to \(Self.maximumUnits)."
            )
        }
    }
}
