/// What a process was started with, for as long as it has not ended.
@_spi(Baton) extension ProcessHandle {
    /// The arguments after the program's name; nil if the process has ended or cannot be seen.
    public var arguments: [String]? {
        guard let bytes = KernelFile.bytes(of: "/proc/\(processID)/cmdline"), !bytes.isEmpty else { return nil }
        // Each argument ends with a zero byte, also the last one.
        return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the environment has a variable with a value; false if the process has ended or cannot be seen.
    public func hasVariable(_ name: String, _ value: String) -> Bool {
        let variable = Array("\(name)=\(value)".utf8)
        let bytes = KernelFile.bytes(of: "/proc/\(processID)/environ") ?? []
        return bytes.split(separator: 0).contains { $0.elementsEqual(variable) }
    }

    /// Whether the process runs the file of this program; false for an earlier file of the same path, and if the process has
    /// ended or cannot be seen.
    public var runsThisProgram: Bool {
        guard let own = FileIdentity(following: "/proc/self/exe") else { return false }
        return FileIdentity(following: "/proc/\(processID)/exe") == own
    }
}
