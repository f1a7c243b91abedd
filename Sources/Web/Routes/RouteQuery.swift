@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// An item of the query that a route takes.
struct QueryParameter: Hashable, Sendable {
    /// The form of a value.
    enum Form: Hashable, Sendable {
        /// A whole number in a range.
        case integer(ClosedRange<UInt64>)
        /// One of some words.
        case words([String])
        /// A text of at most so many bytes.
        case text(Int)
        /// A moment in RFC 3339.
        case moment
    }

    /// The name.
    let name: String
    /// The form of a value.
    let form: Form
    /// What the item does, in a sentence.
    let meaning: String
    /// Whether the item may occur more than once.
    var isRepeatable = false

    init(_ name: String, _ form: Form, _ meaning: String, isRepeatable: Bool = false) {
        self.name = name
        self.form = form
        self.meaning = meaning
        self.isRepeatable = isRepeatable
    }

    /// The most elements of a page; more are refused instead of cut.
    static let limit = QueryParameter("limit", .integer(1...1000), "The most elements of the page; 100 if not given.")
}

/// The items of a request's query, all of which its route takes.
struct RouteQuery: Sendable {
    private let values: [String: [String]]

    /// Reads the items of a query.
    ///
    /// - Throws: a refusal with 400 of an item that is not known, is repeated, or has a malformed value.
    init(_ items: [HTTPQueryItem], _ parameters: [QueryParameter]) throws(WebRefusal) {
        var values: [String: [String]] = [:]
        for item in items {
            guard let parameter = parameters.first(where: { $0.name == item.name }) else {
                let known =
                    parameters.isEmpty
                    ? "It takes none." : "It takes \(parameters.map(\.name).joined(separator: ", "))."
                throw WebRefusal(
                    400,
                    "usage",
                    "This address does not take \"\(item.name.asShown)\" in its query. \(known)"
                )
            }
            guard parameter.isRepeatable || values[item.name] == nil else {
                throw WebRefusal(400, "usage", "\"\(item.name)\" is in the query more than once. Give it once.")
            }
            guard parameter.form.admits(item.value) else {
                throw WebRefusal(400, "usage", "\"\(item.name)\" in the query has to be \(parameter.form.expectation).")
            }
            values[item.name, default: []].append(item.value)
        }
        self.values = values
    }

    /// The value of an item; nil if the request has none.
    func text(_ name: String) -> String? { values[name]?.first }

    /// The values of an item that may be repeated.
    func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// The number in an item; nil if the request has none.
    func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }

    /// The number of elements of a page.
    var limit: UInt32 { number("limit").map { UInt32(clamping: $0) } ?? 100 }
}

extension QueryParameter.Form {
    /// Whether a value has the form.
    fileprivate func admits(_ text: String) -> Bool {
        switch self {
        case .integer(let range):
            (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
                && UInt64(text).map(range.contains) ?? false
        case .words(let words): words.contains(text)
        case .text(let most): !text.isEmpty && text.utf8.count <= most
        case .moment: Timestamp(iso8601: text) != nil
        }
    }

    /// What a value has to be, behind "has to be".
    fileprivate var expectation: String {
        switch self {
        case .integer(let range):
            range.upperBound == .max
                ? "a whole number from \(range.lowerBound)"
                : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .words(let words): "one of " + words.joined(separator: ", ")
        case .text(let most): "a text of 1 to \(most) bytes"
        case .moment: "a time such as 2026-11-21T03:00:00Z"
        }
    }
}
