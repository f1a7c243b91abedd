/// The properties of a template that few templates have.
///
/// Templates are copied often: the properties are behind one reference, which costs less than a field for each.
final class SeldomTemplate: Hashable, Sendable {
    /// The properties, with their defaults.
    struct Properties: Hashable {
        /// The longest wait before a retry; nil for a day, or for the first wait if that is longer.
        var retryDelayLimit: Duration?
        /// The ends that are worth a retry; empty for all but those that the other two name.
        var retryOn: [EndCondition] = []
        /// The ends that are not worth a retry.
        var noRetryOn: [EndCondition] = []
        /// The exit statuses that end the operation, whatever is worth a retry.
        var finalStatus: [EndCondition] = []
        /// The most memory of an attempt in bytes; nil for that of the work.
        var memoryUpTo: Int64?
        /// The longest time limit of an attempt; nil for that of the work.
        var timeoutUpTo: Duration?
        /// The deadline, counted from the submission; nil for none.
        var deadline: Duration?
        /// The units of the cluster's shared limits that each operation takes, each at least 1.
        var take: [String: Int64] = [:]
        /// What the files with the results of elements are called by.
        var inputNames = InputNaming.number
    }

    let properties: Properties

    /// Keeps properties; nil if all have their defaults.
    init?(_ properties: Properties) {
        guard properties != Properties() else { return nil }
        self.properties = properties
    }

    static func == (left: SeldomTemplate, right: SeldomTemplate) -> Bool {
        left === right || left.properties == right.properties
    }

    func hash(into hasher: inout Hasher) { hasher.combine(properties) }
}
