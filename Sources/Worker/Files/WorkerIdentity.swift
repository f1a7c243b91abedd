@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The identity of the worker of a directory, kept in a file of the directory.
///
/// Only the holder of the directory's lock writes the file.
struct WorkerIdentity: Hashable {
    /// The random number of the directory.
    var id: WorkerID
    /// The made-up name of a worker without a given name; nil for a worker with a given name.
    var madeUpName: String?

    /// Reads the identity in a file; nil for a missing or unreadable file.
    static func read(_ path: String) -> WorkerIdentity? {
        let descriptor = OwnFile.open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { closeDescriptor(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard (1...2).contains(words.count), let id = UInt64(words[0], radix: 16), id != 0 else { return nil }
        let name = words.dropFirst().first.map(String.init)
        if let name, !Name.isValid(name) { return nil }
        return WorkerIdentity(id: WorkerID(rawValue: id), madeUpName: name)
    }

    /// Replaces the file; a crash leaves the old or the new file.
    func write(to path: String) throws(FileFailure) {
        let words = [id.description] + (madeUpName.map { [$0] } ?? [])
        try SmallFile.replace(path, with: words.joined(separator: " ") + "\n")
    }

    /// Makes up a name: the host's name, and a few letters and digits that distinguish workers of the same host, or of
    /// hosts with the same name.
    static func makeUpName(host: String, using generator: inout some RandomNumberGenerator) -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let suffix = String((0..<6).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        let name = "\(host)-\(suffix)"
        // A host name that is a number, as in containers, gets the prefix `host-`.
        return Name.isValid(name)
            ? name : "host-" + String(host.filter { $0.isLetter || $0.isNumber }.prefix(60)) + "-\(suffix)"
    }
}
