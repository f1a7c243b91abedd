@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// Counts have a member for each count but one, which affects the outcome alone.
@_spi(Baton) extension JobCounts: Document {
    private static let members: [(key: StaticString, path: any WritableKeyPath<JobCounts, Int> & Sendable)] = [
        ("pending", \.pending), ("ready", \.ready), ("executing", \.executing), ("succeeded", \.succeeded),
        ("failed", \.failed), ("cancelled", \.cancelled), ("skipped", \.skipped), ("notNeeded", \.notNeeded),
    ]

    /// Reads the counts; the one that documents lack stays 0.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DocumentKey.self)
        self.init()
        for (key, path) in Self.members {
            self[keyPath: path] = try container.decode(Int.self, forKey: DocumentKey(stringValue: "\(key)"))
        }
    }

    /// Writes the counts.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (key, path) in Self.members { writer.member(key, self[keyPath: path]) }
        writer.endObject()
    }

    /// A number for each count.
    public static func schemaMembers(in table: SchemaTable) -> [Schema.Member] {
        members.map { Schema.Member(name: "\($0.key)", schema: Int.schema(in: table)) }
    }

    /// Takes nothing away: counts are no content.
    public mutating func conceal() {}

    /// Changes nothing: counts have no texts.
    public mutating func changeTexts(_ change: (String) -> String) {}
}
