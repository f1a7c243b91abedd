/// A tag of a job: a key with a value, by which people find the job again (`project=x`).
///
/// Keys and values are compared as they are: neither has a meaning for Baton.
@_spi(Baton) public struct JobTag: Hashable, Sendable {
    /// The most tags of a job.
    public static let maximumCount = 32
    /// The most bytes of a key.
    public static let maximumKeyLength = 64
    /// The most bytes of a value.
    public static let maximumValueLength = Name.maximumLength
    /// The form of a tag, for the end of an error's sentence.
    public static let form = "a tag has the form key=value"

    /// The key.
    public var key: String
    /// The value.
    public var value: String

    /// Describes a tag.
    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Reads a tag in the form `key=value`; spellings that look alike become one.
    ///
    /// - Throws: ``Refusal`` `invalid` for a text of another form, and for a key or value that is not allowed.
    public init(_ text: String) throws(Refusal) {
        guard let sign = text.firstIndex(of: "=") else {
            throw Refusal(.invalid, "\"\(text.asShown)\" is not a tag: \(Self.form).")
        }
        key = Name.normalized(String(text[..<sign]))
        value = Name.normalized(String(text[text.index(after: sign)...]))
        if let objection { throw Refusal(.invalid, objection) }
    }

    /// The sentence about a key or value that is not allowed; nil for an allowed tag.
    public var objection: String? {
        if key.utf8.count > Self.maximumKeyLength || !Name.isValid(key) || key.utf8.contains(UInt8(ascii: "=")) {
            return
                "The key \"\(key.asShown)\" of a tag is not allowed: it starts with a letter or _, has no equals sign, slash, "
                + "white space, control or invisible character, and at most \(Self.maximumKeyLength) bytes."
        }
        if value.isEmpty || value.utf8.count > Self.maximumValueLength {
            return
                "The value of the tag \"\(key)\" is not allowed: a value has from 1 to \(Self.maximumValueLength) bytes."
        }
        return Name.forbiddenCharacter(in: value).map { "The value of the tag \"\(key)\" is not allowed: \($0)." }
    }

    /// Refuses tags that are not allowed, and too many of them.
    ///
    /// - Throws: ``Refusal`` `invalid`, with the broken rule.
    static func check(_ tags: [String: String]) throws(Refusal) {
        guard tags.count <= maximumCount else {
            throw Refusal(.invalid, "The job has \(tags.count) tags; a job may have at most \(maximumCount).")
        }
        for (key, value) in tags {
            if let objection = JobTag(key: key, value: value).objection { throw Refusal(.invalid, objection) }
        }
    }

    /// Tags as people read them, by key: `owner=me, project=x`; nil for none.
    public static func text(of tags: [String: String]) -> String? {
        guard !tags.isEmpty else { return nil }
        return tags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    }
}
