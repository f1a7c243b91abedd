/// The path of a route, in which some segments stand for values.
struct RoutePath: Hashable, Sendable, CustomStringConvertible {
    private enum Part: Hashable {
        case literal(String)
        case value(RouteValue)
    }

    /// The path as OpenAPI writes it, such as `/api/v1/jobs/{job}`.
    let description: String
    private let parts: [Part]

    /// Reads a path of this program's own.
    init(_ text: StaticString) {
        description = "\(text)"
        parts = description.split(separator: "/").map { part in
            RouteValue(segment: part).map { .value($0) } ?? .literal(String(part))
        }
    }

    /// The values in the path, in their order.
    var values: [RouteValue] {
        parts.compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    /// The values of a request's path; nil for another path.
    func match(_ path: [String]) -> [RouteValue: String]? {
        var path = path
        if let last = parts.last, last == .value(.path), path.count > parts.count {
            // The value has all segments that are left.
            path = path.prefix(parts.count - 1) + [path.dropFirst(parts.count - 1).joined(separator: "/")]
        }
        guard path.count == parts.count else { return nil }
        var values: [RouteValue: String] = [:]
        for (segment, part) in zip(path, parts) {
            switch part {
            case .literal(let literal): guard segment == literal else { return nil }
            case .value(let value):
                guard !segment.isEmpty else { return nil }
                values[value] = segment
            }
        }
        return values
    }
}

/// A value in the path of a route.
enum RouteValue: String, CaseIterable, Sendable {
    case job, operation, queue, worker, schedule, asset, path

    /// The value that a segment in braces stands for; nil for any other segment.
    init?(segment: some StringProtocol) {
        guard segment.hasPrefix("{"), segment.hasSuffix("}") else { return nil }
        self.init(rawValue: String(segment.dropFirst().dropLast()))
    }

    /// What the value means, for the description of the interface.
    var meaning: String {
        switch self {
        case .job: "The number of a job."
        case .operation: "The index of an operation in its job, or its name."
        case .queue: "The name of a queue."
        case .worker: "The name of a worker."
        case .schedule: "The name of a schedule."
        case .asset: "The name of a file of the page."
        case .path: "The path of a file that an operation has left, with slashes, as the list of its files has it."
        }
    }
}
