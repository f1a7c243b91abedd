@_spi(Baton) extension ProcessEnvironment {
    /// The name of a variable, encoded and looked up in an environment once, for any number of launches.
    public struct Name: Sendable {
        /// The name and `=`.
        let bytes: [UInt8]

        /// The index in `offsets` of the environment's own variable of this name; nil if it has none.
        let index: Int?
    }

    /// Looks up the name of a variable, which the environment may have or not.
    ///
    /// - Parameter name: a name that execve(2) can express: not empty, without `=` and without a zero byte.
    public func name(_ name: String) -> Name {
        Name(bytes: Array(name.utf8) + [UInt8(ascii: "=")], index: indices[name])
    }
}
