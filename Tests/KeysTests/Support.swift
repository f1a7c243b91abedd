@_spi(Baton) import BatonOperations
@_spi(Baton) @testable import BatonKeys
@_spi(Baton) import BatonZeroMQ
import Glibc

/// A directory of its own, removed with the value.
final class Scratch {
    let path: String

    init() throws {
        var template = Array("/tmp/baton-keys-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Overdue() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { removeTree(path) }

    /// A key directory that does not exist yet.
    var keys: KeyDirectory { KeyDirectory(home: path) }

    /// The path of a file of the key directory.
    func file(_ name: String) -> String { "\(keys.path)/\(name)" }
}

/// An expected event did not come in time.
struct Overdue: Error {}

/// Removes a file or directory with all below it.
func removeTree(_ path: String) {
    if unlink(path) == 0 { return }
    if let stream = opendir(path) {
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { removeTree("\(path)/\(name)") }
        }
        closedir(stream)
    }
    rmdir(path)
}

/// Replaces the content of a file, whatever its mode.
func overwrite(_ path: String, _ bytes: [UInt8]) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw Overdue() }
    defer { close(descriptor) }
    guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else { throw Overdue() }
}

/// The content of a file.
func content(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw Overdue() }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw Overdue() }
    return Array(bytes.prefix(count))
}

/// The permission bits of a file.
func mode(of path: String) throws -> UInt32 {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw Overdue() }
    return status.st_mode & 0o7777
}

/// The number of a file in its file system and the time of its last change: a file with the same ones was not written.
func identity(of path: String) throws -> [Int] {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw Overdue() }
    return [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
}

/// The names of the files of a directory.
func names(in path: String) -> Set<String> {
    var names: Set<String> = []
    guard let stream = opendir(path) else { return names }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { names.insert(name) }
    }
    return names
}

/// A valid name.
func keyName(_ text: String) throws -> KeyName {
    guard let name = KeyName(text) else { throw Overdue() }
    return name
}

/// A valid address.
func serverAddress(_ text: String) throws -> ServerAddress {
    guard let address = ServerAddress(text) else { throw Overdue() }
    return address
}

/// Makes a token for a new server.
func makeToken(_ role: Role, _ name: String = "w1", at address: String? = nil) throws -> JoinToken {
    JoinToken(
        server: try CurveKeyPair.generate().publicKey,
        secretKey: try CurveKeyPair.generate().secretKey,
        role: role,
        name: try keyName(name),
        address: try address.map { try serverAddress($0) }
    )
}

extension OperationKeys {
    /// Keys for a new server and a new secret.
    static func made() throws -> OperationKeys {
        OperationKeys(
            server: try CurveKeyPair.generate().publicKey,
            transportKey: try CurveKeyPair.generate().secretKey,
            secret: .generate()
        )
    }
}

/// Makes a token of an operation of a new server.
func makeOperationToken() throws -> OperationToken {
    let claim = OperationClaim(incarnation: 7, recordToken: 9, job: 12, operation: 3, attempt: 2, worker: 5)
    return try OperationKeys.made().issuer(for: 5).token(for: claim)
}

extension SplitMix {
    /// Random bytes, up to a length.
    mutating func bytes(upTo length: Int) -> [UInt8] {
        let count = Int.random(in: 0...length, using: &self)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// Bytes with a few changes, cuts and repetitions.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &self), at: place)
            case 3: bytes.removeSubrange(place...)
            default: bytes.append(contentsOf: bytes[place...])
            }
        }
        return bytes
    }
}
