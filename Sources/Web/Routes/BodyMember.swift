@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// A member of the body of a request, which is an object of JSON.
struct BodyMember: Hashable, Sendable {
    /// The form of a value.
    enum Form: Hashable, Sendable {
        /// True or false.
        case truth
        /// A whole number in a range.
        case integer(ClosedRange<Int>)
        /// A whole number in a range, or null.
        case integerOrNull(ClosedRange<Int>)
        /// One of some words.
        case words([String])
        /// How many operations may start in a time, or null.
        case rateOrNull
        /// Addresses of operations, at least one.
        case addresses
    }

    /// The key.
    let name: String
    /// The form of a value.
    let form: Form
    /// What the member does, in a sentence.
    let meaning: String
    /// Whether a body has to have the member.
    var isRequired = false

    init(_ name: String, _ form: Form, _ meaning: String, isRequired: Bool = false) {
        self.name = name
        self.form = form
        self.meaning = meaning
        self.isRequired = isRequired
    }

    /// The member for the description of the interface.
    var schema: Schema.Member {
        let schema: Schema =
            switch form {
            case .truth: .truth
            case .integer(let range): .whole(least: Int64(range.lowerBound), greatest: Int64(range.upperBound))
            case .integerOrNull(let range):
                .nullable(.whole(least: Int64(range.lowerBound), greatest: Int64(range.upperBound)))
            case .words(let words): .words(words)
            case .rateOrNull: .nullable(.text)
            case .addresses: .list(.text, least: 1)
            }
        return Schema.Member(name: name, schema: schema, isRequired: isRequired, meaning: meaning)
    }

    /// What a value has to be, behind "has to be".
    var expectation: String {
        switch form {
        case .truth: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .integerOrNull(let range): "a whole number from \(range.lowerBound) to \(range.upperBound), or null"
        case .words(let words): "one of " + words.joined(separator: ", ")
        case .rateOrNull: "\(StartRate.forms), or null"
        case .addresses: "a list of addresses such as \"12/3\", at least one"
        }
    }

    /// Whether a value has the form.
    func admits(_ value: JSONValue) -> Bool {
        switch (form, value) {
        case (.truth, .truth): true
        case (.integerOrNull, .null), (.rateOrNull, .null): true
        case (.rateOrNull, .string(let text)): StartRate(text) != nil
        case (.integer(let range), _), (.integerOrNull(let range), _):
            value.wholeNumber.map(range.contains) ?? false
        case (.words(let words), .string(let word)): words.contains(word)
        case (.addresses, .array): value.strings.map { !$0.isEmpty } ?? false
        default: false
        }
    }
}

extension BodyMember {
    /// The addresses of the operations that a request is about.
    static let operations = BodyMember("operations", .addresses, "The addresses of operations.", isRequired: true)
    /// A signal for the processes of operations.
    static let signal = BodyMember(
        "signal",
        .words(OperationSignal.allCases.map(\.rawValue)),
        "The signal, without SIG.",
        isRequired: true
    )
    /// Whether a retry includes cancelled operations.
    static let cancelled = BodyMember(
        "cancelled",
        .truth,
        "Whether cancelled operations are retried too; no if not given."
    )
    /// Whether a job that has been retried is retried again.
    static let again = BodyMember(
        "again",
        .truth,
        "Whether to retry what is of a job that has been retried already; no if not given."
    )
    /// Whether a retry includes dependents.
    static let dependents = BodyMember(
        "dependents",
        .truth,
        "Whether the dependents of the operations are retried too; yes if not given."
    )
}

/// The body that a route takes.
enum RouteBody: Hashable, Sendable {
    /// An object with these members and no others, at least a number of them; no body counts as an empty object.
    case members([BodyMember], least: Int = 0)
    /// A graph file.
    case graph

    /// The schema for the description of the interface.
    var schema: Schema {
        switch self {
        case .members(let members, let least): .closed(members.map(\.schema), least: least)
        case .graph: .anyObject
        }
    }
}
