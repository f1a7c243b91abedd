@_spi(Baton) public import BatonJSON

/// The form of a value of JSON, as the description of the interface tells it.
@_spi(Baton) public indirect enum Schema: Hashable, Sendable {
    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// The key.
        public let name: String
        /// The form of the value.
        public let schema: Schema
        /// Whether each object has the member.
        public var isRequired: Bool
        /// What the member means, in a sentence; nil where the documentation of the command line's documents says it.
        public var meaning: String?

        /// Describes a member.
        public init(name: String, schema: Schema, isRequired: Bool = true, meaning: String? = nil) {
            self.name = name
            self.schema = schema
            self.isRequired = isRequired
            self.meaning = meaning
        }

        /// The number of the newest event that a document knows of.
        public static let seq = Member(name: "seq", schema: .unsigned)
    }

    /// True or false.
    case truth
    /// A whole number; nil stands for no bound.
    case whole(least: Int64?, greatest: Int64?)
    /// One of some whole numbers.
    case numbers([Int])
    /// Any number.
    case number
    /// A text.
    case text
    /// One of some texts.
    case words([String])
    /// A moment in RFC 3339.
    case moment
    /// The address of an operation by its index, such as `12/3`.
    case address
    /// A list of values of one form.
    case list(Schema, least: Int = 0)
    /// An object whose keys are not known before.
    case table(Schema)
    /// An object with known keys; later versions may add some.
    case object([Member])
    /// An object with known keys and no others, of which there is a least number.
    case closed([Member], least: Int = 0)
    /// The schema of a name.
    case named(String)
    /// A value of a form, or null.
    case nullable(Schema)
    /// A value of one of some forms.
    case anyOf([Schema])
    /// An object of a form with further members.
    case extended(Schema, [Member])
    /// An object of which nothing more is said.
    case anyObject
    /// Any value.
    case anything

    /// A whole number that is not negative.
    public static let unsigned = Schema.whole(least: 0, greatest: nil)
}

@_spi(Baton) extension Schema {
    /// Writes the schema as the next value.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    private func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .truth: writer.member("type", "boolean")
        case .whole(let least, let greatest):
            writer.member("type", "integer")
            if let least { writer.member("minimum", least) }
            if let greatest { writer.member("maximum", greatest) }
        case .numbers(let numbers):
            writer.member("type", "integer")
            writer.member("enum", array: numbers) { number, writer in writer.value(number) }
        case .number: writer.member("type", "number")
        case .text: writer.member("type", "string")
        case .words(let words):
            writer.member("type", "string")
            writer.member("enum", strings: words)
        case .moment:
            writer.member("type", "string")
            writer.member("format", "date-time")
        case .address:
            writer.member("type", "string")
            writer.member("pattern", "^[0-9]+/[0-9]+$")
        case .list(let element, let least):
            writer.member("type", "array")
            if least > 0 { writer.member("minItems", least) }
            writer.key("items")
            element.write(to: &writer)
        case .table(let value):
            writer.member("type", "object")
            writer.key("additionalProperties")
            value.write(to: &writer)
        case .object(let members): Self.write(members, to: &writer)
        case .closed(let members, let least):
            Self.write(members, to: &writer)
            if least > 0 { writer.member("minProperties", least) }
            writer.member("additionalProperties", false)
        case .named(let name): writer.member("$ref", "#/components/schemas/\(name)")
        case .nullable(let schema): Self.write(alternatives: [schema, nil], to: &writer)
        case .anyOf(let schemas): Self.write(alternatives: schemas, to: &writer)
        case .extended(let schema, let members):
            writer.member("allOf", array: [schema, .object(members)]) { part, writer in part.write(to: &writer) }
        case .anyObject: writer.member("type", "object")
        case .anything: break
        }
    }

    private static func write(_ members: [Member], to writer: inout JSONWriter) {
        writer.member("type", "object")
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { writer.member("required", strings: required) }
        writer.key("properties")
        writer.beginObject()
        for member in members {
            writer.key(member.name)
            writer.beginObject()
            member.schema.writeMembers(to: &writer)
            if let meaning = member.meaning { writer.member("description", meaning) }
            writer.endObject()
        }
        writer.endObject()
    }

    /// Writes alternatives, of which nil is null.
    private static func write(alternatives: [Schema?], to writer: inout JSONWriter) {
        writer.member("anyOf", array: alternatives) { schema, writer in
            if let schema {
                schema.write(to: &writer)
            } else {
                writer.beginObject()
                writer.member("type", "null")
                writer.endObject()
            }
        }
    }
}
