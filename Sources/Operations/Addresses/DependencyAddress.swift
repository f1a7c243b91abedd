/// What a user types as a dependency on earlier jobs: an address, or an array whose elements count one by one (EL1).
///
/// `58/sim/=` is the element at the same position of the array `sim`, `58/=` that of the only array of job 58, and `58/[0-9]/=` that
/// of the operations from 0 to 9.
@_spi(Baton) public struct DependencyAddress: Hashable, Sendable, CustomStringConvertible {
    /// The ending of a text that stands for the element at the same position.
    public static let elementwise = "/="

    /// The operation, the array or the job.
    public var address: Address
    /// Whether the elements of an array count one by one.
    public var isElementwise: Bool

    /// Describes a dependency.
    public init(_ address: Address, isElementwise: Bool = false) {
        self.address = address
        self.isElementwise = isElementwise
    }

    /// Reads a dependency as users type it; nil for a text of another form.
    public init?(_ text: String) {
        guard text.hasSuffix(Self.elementwise) else {
            guard let address = Address(text) else { return nil }
            self.init(address)
            return
        }
        let whole = String(text.dropLast(Self.elementwise.count))
        if let address = Address(whole), !whole.hasSuffix("/*") {
            self.init(address, isElementwise: true)
            return
        }
        guard let pattern = AddressPattern(whole), case .number(let job) = pattern.job,
            case .indices(let ranges) = pattern.part, let range = ranges.first, ranges.count == 1
        else { return nil }
        self.init(.operations(job, range), isElementwise: true)
    }

    /// The text as users type it; a job alone stands before `/*`, because a bare number looks like an index.
    public var description: String {
        if isElementwise { return address.description + Self.elementwise }
        return if case .job(let job) = address { "\(job)/*" } else { address.description }
    }

    /// The target of a dependency.
    public var target: Dependency.Target { isElementwise ? .existingElements(address) : .existing(address) }
}
