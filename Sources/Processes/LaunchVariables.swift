/// The variables of a single launch, encoded for execve(2), which override those of its ``ProcessEnvironment``.
@_spi(Baton) public struct LaunchVariables: Sendable {
    /// The place of a variable.
    struct Place: Sendable {
        /// The start of the variable in `bytes`.
        var offset: Int

        /// The index in `offsets` of the environment's variable that it overrides; nil if it overrides none.
        var overridden: Int?
    }

    /// `NAME=value` after `NAME=value`, each ended by a zero byte.
    private(set) var bytes: [UInt8] = []

    /// The place of each variable.
    private(set) var places: [Place] = []

    /// Begins without variables.
    ///
    /// - Parameters:
    ///   - count: the number of variables to have room for.
    ///   - length: the number of bytes to have room for.
    public init(reserving count: Int = 0, bytes length: Int = 0) {
        guard count > 0 else { return }
        places.reserveCapacity(count)
        bytes.reserveCapacity(length)
    }

    /// Sets a variable that was not set before.
    ///
    /// - Parameters:
    ///   - name: a name that the environment of the launch has looked up, or an environment from which
    ///     ``ProcessEnvironment/setting(_:)`` has made it.
    ///   - value: the value.
    /// - Throws: `LaunchFailure` for a zero byte.
    public mutating func set(_ name: ProcessEnvironment.Name, to value: String) throws(LaunchFailure) {
        var value = value
        let isSet = value.withUTF8 { text -> Bool in
            guard !text.hasZeroByte else { return false }
            append(name, text)
            return true
        }
        guard isSet else {
            let name = String(decoding: name.bytes.dropLast(), as: UTF8.self)
            throw LaunchFailure(.invalid, "the environment variable \"\(name)\" has a zero byte")
        }
    }

    /// Sets a variable that was not set before to a text of ASCII without a zero byte.
    public mutating func set(_ name: ProcessEnvironment.Name, toASCII value: [UInt8]) {
        value.withUnsafeBufferPointer { append(name, $0) }
    }

    private mutating func append(_ name: ProcessEnvironment.Name, _ value: UnsafeBufferPointer<UInt8>) {
        places.append(Place(offset: bytes.count, overridden: name.index))
        bytes.append(contentsOf: name.bytes)
        bytes.append(contentsOf: value)
        bytes.append(0)
    }
}
