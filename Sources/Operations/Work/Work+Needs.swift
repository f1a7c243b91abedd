/// The version of the option set that a worker has to know for a work.
@_spi(Baton) extension Work {
    /// The highest version among the options that are set and that a reader may not skip; 1 for the options of the beginning.
    ///
    /// - Complexity: O(options).
    public var neededOptionVersion: Int {
        Self.options.settings(of: self).reduce(1) { needed, setting in
            setting.option.maySkip ? needed : max(needed, setting.option.version)
        }
    }

    /// The type that a worker must support to run the work; nil if every worker will do.
    ///
    /// Every worker knows version 1 of the option set. A higher version counts as a type of its own, so that only workers that
    /// announce the version get the work.
    public var neededType: String? {
        let version = neededOptionVersion
        return version > 1 ? Self.type(ofOptionVersion: version, for: kind.type) : kind.type
    }

    /// The type that stands for a version of the option set, alone or together with the type of a Swift operation.
    ///
    /// No user's type has the name, because names have no slash.
    static func type(ofOptionVersion version: Int, for type: String?) -> String { "\(type ?? "")/\(version)" }

    /// The types that stand for the versions of the option set up to a version, for a worker that runs some types.
    ///
    /// - Parameter version: the newest version that the worker knows; versions beyond the newest of this build do not count.
    public static func types(ofOptionVersion version: Int, with types: [String]) -> [String] {
        let versions = Array((1...max(1, min(version, OperationOption.newestVersion))).dropFirst())
        return versions.flatMap { version in
            [Self.type(ofOptionVersion: version, for: nil)] + types.map { Self.type(ofOptionVersion: version, for: $0) }
        }
    }

    /// The parts of a needed type: the type of a Swift operation, if any, and the version of the option set.
    public static func parts(ofNeededType type: String) -> (type: String?, optionVersion: Int) {
        // By bytes: a worker may have a thousand types.
        guard let slash = type.utf8.lastIndex(of: UInt8(ascii: "/")),
            let version = Int(type[type.utf8.index(after: slash)...])
        else {
            return (type, 1)
        }
        return (slash == type.startIndex ? nil : String(type[..<slash]), version)
    }
}
