/// A choice of files among the inputs of an operation, and their place in its directory, such as `align/*.bam` in `in/`.
///
/// The pattern is an ``OutputPattern`` for paths below `BATON_INPUTS`, which begin with the name of an input. A place that ends with a
/// slash is a directory that the files get into, each under the last part of its path, or, where the pattern stands for everything below a
/// directory, under its path below that directory. Any other place is that of a single file.
@_spi(Baton) public struct InputPick: Hashable, Sendable {
    /// The most choices of one operation.
    public static let maximumCount = 1000

    /// What names the files.
    public let pattern: OutputPattern
    /// The place as written.
    public let place: String

    /// Reads a choice.
    ///
    /// - Throws: ``Refusal`` `invalid` for a pattern that could match no input, and for a place that could lead out of the operation's
    ///   directory.
    public init(_ pattern: String, to place: String) throws(Refusal) {
        if let objection = Self.objection(to: pattern, place) {
            throw Refusal(.invalid, "The list of picked inputs \(objection).")
        }
        self.pattern = try OutputPattern(pattern)
        self.place = place
    }

    /// Whether the place is a directory.
    private var isFolder: Bool { place.utf8.last == Self.slash }

    /// Returns the path below the operation's directory that an input gets.
    ///
    /// - Parameter names: the parts of the path of the input below `BATON_INPUTS`; the pattern matches them.
    public func path(of names: [String]) -> String {
        guard isFolder else { return place }
        let kept = pattern.isFolder ? names.dropFirst(pattern.parts.count) : names.suffix(1)
        return path(named: kept.joined(separator: "/"))
    }

    private func path(named name: String) -> String { place == Self.ownDirectory ? name : place + name }

    /// The path that a file gets whatever the inputs are called; nil if it depends on them, or on the item of an array.
    private var certainPath: String? {
        guard isFolder else { return place }
        guard !pattern.isFolder, let name = pattern.parts.last?.name, !name.utf8.contains(UInt8(ascii: "{")) else {
            return nil
        }
        return path(named: name)
    }

    /// Returns why choices cannot be those of an operation, as the end of a sentence that begins with their list; nil for others.
    ///
    /// - Parameter places: the places by the patterns.
    /// - Complexity: O(bytes · log choices).
    static func objection(to places: [String: String]) -> String? {
        guard places.count <= maximumCount else { return "has more than \(maximumCount) patterns" }
        var picks: [InputPick] = []
        for (pattern, place) in places.sorted(by: { $0.key < $1.key }) {
            guard let pick = try? InputPick(pattern, to: place) else { return objection(to: pattern, place) }
            picks.append(pick)
        }
        return clash(among: picks)
    }

    private static func objection(to pattern: String, _ place: String) -> String? {
        let below = OutputPattern.Root(
            name: "BATON_INPUTS",
            advice: "give the name of an input and a path below it, such as align/*.bam, align/report/ or align/*.txt?"
        )
        if let objection = OutputPattern.objection(to: pattern, below: below) {
            return "has \"\(pattern.asShown)\", which \(objection)"
        }
        return objection(toPlace: place).map {
            "has the place \"\(place.asShown)\" for \"\(pattern.asShown)\", which \($0)"
        }
    }

    private static func objection(toPlace place: String) -> String? {
        if place == ownDirectory { return nil }
        let path = place.utf8.last == slash ? String(decoding: place.utf8.dropLast(), as: UTF8.self) : place
        let objection = place.utf8.first == slash ? "begins with a slash" : KeptFile.objection(toPath: path)
        return objection.map {
            "\($0); give a place below the operation's directory, such as in/ or x.bam, or ./ for the directory itself"
        }
    }

    /// Finds two patterns with one place for any inputs, among the patterns that have to match.
    private static func clash(among picks: [InputPick]) -> String? {
        // With the slash as the least byte, paths below a place follow the place directly.
        var places: [(bytes: [UInt8], pick: InputPick)] = []
        for pick in picks where !pick.pattern.isOptional {
            let path = pick.certainPath ?? pick.place
            places.append((path.utf8.map { (byte: UInt8) -> UInt8 in byte == slash ? 0 : byte }, pick))
        }
        places.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for (first, second) in zip(places, places.dropFirst()) {
            guard first.bytes.last != 0, second.bytes.starts(with: first.bytes) else { continue }
            let patterns = "\"\(first.pick.pattern.text.asShown)\" and \"\(second.pick.pattern.text.asShown)\""
            guard second.bytes.count > first.bytes.count else {
                return "gives \(patterns) one place: choose another one for one of them"
            }
            guard second.bytes[first.bytes.count] == 0 else { continue }
            return
                "gives \(patterns) places of which one is a file, and a directory for the other: choose another one for one of them"
        }
        return nil
    }

    /// What stands for the operation's directory itself.
    private static let ownDirectory = "./"
    private static let slash = UInt8(ascii: "/")
}
