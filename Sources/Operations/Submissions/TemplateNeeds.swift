/// What the operations of templates need of their workers beyond a slot, in lists by template.
///
/// A submission may have a million different templates. Their needs are found once, outside of the coordinator's thread.
@_spi(Baton) public struct TemplateNeeds: Sendable {
    /// The types of the operations, nil for a template that every worker runs; empty if all are nil.
    public let types: [String?]
    /// The types together with the needed versions of the option set, see ``Work/neededType``; empty if all are nil.
    public let neededTypes: [String?]
    /// The times that the templates declare, see ``Template/declaredTime``; empty if all are nil.
    public let times: [Duration?]
    /// Whether any template asks for resources or labels.
    public let haveRequests: Bool
    /// Whether any template has a deadline.
    public let haveDeadlines: Bool

    /// Finds the needs of some templates.
    ///
    /// - Complexity: O(templates).
    public init(of templates: [Template]) {
        types = Self.list(of: templates) { $0.work.kind.type }
        neededTypes = Self.list(of: templates) { $0.work.neededType }
        times = Self.list(of: templates) { $0.declaredTime }
        haveRequests = templates.contains { $0.hasRequest }
        haveDeadlines = templates.contains { $0.deadline != nil }
    }

    /// The values of all templates; empty if all are nil, as nearly always.
    private static func list<Value>(of templates: [Template], _ value: (Template) -> Value?) -> [Value?] {
        guard let first = templates.firstIndex(where: { value($0) != nil }) else { return [] }
        return Array(repeating: nil, count: first) + templates[first...].map(value)
    }
}
