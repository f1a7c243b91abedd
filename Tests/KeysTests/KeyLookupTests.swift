@_spi(Baton) import BatonZeroMQ
import Glibc
import Testing
@_spi(Baton) @testable import BatonKeys

@Suite("The lookup of keys", .timeLimit(.minutes(60)))
struct KeyLookupTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func lookup(_ environment: [String: String] = [:]) -> KeyLookup {
        KeyLookup(environment: environment, directory: scratch.keys)
    }

    /// Writes a token into a file of its own, and returns the path.
    private func file(_ token: JoinToken, mode: UInt32 = 0o600) throws -> String {
        let path = scratch.path + "/token"
        try overwrite(path, Array((token.text + "\n").utf8))
        chmod(path, mode)
        return path
    }

    private func error(_ lookup: KeyLookup, _ roles: [Role], _ address: ServerAddress? = nil) -> KeyError? {
        do throws(KeyError) {
            _ = try lookup.key(for: roles, at: address)
            return nil
        } catch {
            return error
        }
    }

    @Test("The variable comes before the file, and the file before the home's keys")
    func precedence() throws {
        let (first, second) = (try makeToken(.client, "first"), try makeToken(.client, "second"))
        let home = try scratch.keys.open(at: 1).key.publicKey
        let path = try file(second)
        let both = try lookup(["BATON_KEY": first.text, "BATON_KEY_FILE": path]).key(for: [.client], at: nil)
        #expect((both.credential, both.source) == (.key(first), .variable))
        let one = try lookup(["BATON_KEY": "", "BATON_KEY_FILE": path]).key(for: [.client], at: nil)
        #expect((one.credential, one.source) == (.key(second), .file(path)))
        let none = try lookup(["BATON_KEY_FILE": ""]).key(for: [.client], at: nil)
        #expect((none.credential.key?.server, none.source) == (home, .home))
    }

    @Test("An operation's token comes after the given keys and before the home's")
    func operation() throws {
        _ = try scratch.keys.open(at: 1)
        let token = try makeOperationToken()
        let address = try serverAddress("tcp://h:1")
        var environment = ["BATON_TOKEN": token.text, "BATON_COORDINATOR": address.text]
        for roles in [[.client], [.client, .viewer], [.viewer]] as [[Role]] {
            let found = try lookup(environment).key(for: roles, at: address)
            #expect((found.credential, found.source) == (.operation(token), .operation))
        }
        environment["BATON_KEY"] = ""
        #expect(try lookup(environment).key(for: [.client], at: address).source == .operation)
        let key = try makeToken(.client)
        environment["BATON_KEY"] = key.text
        #expect(try lookup(environment).key(for: [.client], at: address).source == .variable)
        environment["BATON_KEY"] = nil
        environment["BATON_KEY_FILE"] = try file(key)
        #expect(try lookup(environment).key(for: [.client], at: address).credential == .key(key))
    }

    @Test("An operation's token is passed over for another coordinator and for a worker")
    func notForOperation() throws {
        let home = try scratch.keys.open(at: 1).key.publicKey
        let address = try serverAddress("tcp://h:1")
        var environment = ["BATON_TOKEN": try makeOperationToken().text, "BATON_COORDINATOR": address.text]
        func isHome(_ roles: [Role], at address: ServerAddress?) throws -> Bool {
            let found = try lookup(environment).key(for: roles, at: address)
            return found.credential.key?.server == home && found.source == .home
        }
        #expect(try isHome([.client], at: try serverAddress("tcp://h:2")))
        #expect(try isHome([.client], at: nil))
        #expect(try isHome([.worker], at: address))
        environment["BATON_COORDINATOR"] = nil
        #expect(try isHome([.client], at: address))
        environment["BATON_COORDINATOR"] = address.text
        environment["BATON_TOKEN"] = ""
        #expect(try isHome([.client], at: address))
    }

    @Test("A malformed token of an operation is refused with its place and without its text")
    func malformedOperation() throws {
        _ = try scratch.keys.open(at: 1)
        let address = try serverAddress("tcp://h:1")
        let text = String(try makeOperationToken().text.dropLast(3))
        let error = error(
            lookup(["BATON_TOKEN": text, "BATON_COORDINATOR": address.text]),
            [.client],
            address
        )
        #expect((error?.code, error?.variable) == (.invalidToken, "BATON_TOKEN"))
        #expect(error?.message.contains(text.suffix(20)) == false)
    }

    @Test("The protection of a connection follows from a credential")
    func security() throws {
        let key = try makeToken(.client)
        #expect(try Credential.key(key).security() == .curveClient(server: key.server, key: try key.keyPair()))
        let token = try makeOperationToken()
        #expect(
            try Credential.operation(token).security()
                == .curveClient(server: token.server, key: try token.keyPair())
        )
    }

    @Test("A token of another role is an error and no reason to look further")
    func wrongRole() throws {
        _ = try scratch.keys.open(at: 1)
        let token = try makeToken(.client, "laptop")
        let given = error(lookup(["BATON_KEY": token.text]), [.worker])
        #expect((given?.code, given?.variable) == (.wrongRole, "BATON_KEY"))
        #expect(
            given?.message
                == "The key in BATON_KEY is not usable: The key laptop has the role client, not worker."
        )
        let path = try file(token)
        #expect(error(lookup(["BATON_KEY_FILE": path]), [.viewer, .operation])?.code == .wrongRole)
        let viewer = try makeToken(.viewer, "screen")
        #expect(try lookup(["BATON_KEY": viewer.text]).key(for: [.client, .viewer], at: nil).credential.key == viewer)
    }

    @Test("A malformed token is refused with its place and without its text")
    func malformed() throws {
        let cut = String(try makeToken(.client).text.dropLast(3))
        let variable = error(lookup(["BATON_KEY": cut]), [.client])
        #expect((variable?.code, variable?.variable) == (.invalidToken, "BATON_KEY"))
        #expect(variable?.message.contains(cut.prefix(20)) == false)
        let path = scratch.path + "/token"
        for bytes in [Array(cut.utf8), [], [0xFF, 0], Array(repeating: 0x61, count: 100_000)] {
            try overwrite(path, bytes)
            let file = error(lookup(["BATON_KEY_FILE": path]), [.client])
            #expect((file?.code, file?.path) == (.invalidToken, path))
        }
    }

    @Test("A file that others can read is refused, and so is one that is missing or no file")
    func files() throws {
        let path = try file(try makeToken(.client), mode: 0o644)
        let exposed = error(lookup(["BATON_KEY_FILE": path]), [.client])
        #expect((exposed?.code, exposed?.mode) == (.exposed, 0o644))
        let missing = error(lookup(["BATON_KEY_FILE": scratch.path + "/none"]), [.client])
        #expect((missing?.code, missing?.variable) == (.notAccessible, "BATON_KEY_FILE"))
        #expect(error(lookup(["BATON_KEY_FILE": scratch.path]), [.client])?.code == .malformed)
        #expect(error(lookup(["BATON_KEY_FILE": "a\u{0}b"]), [.client])?.code == .notAccessible)
    }

    @Test("A link to a file follows the rules of the file")
    func links() throws {
        let token = try makeToken(.client)
        let path = try file(token)
        symlink(path, scratch.path + "/link")
        let lookup = lookup(["BATON_KEY_FILE": scratch.path + "/link"])
        #expect(try lookup.key(for: [.client], at: nil).credential.key == token)
        chmod(path, 0o640)
        #expect(error(lookup, [.client])?.code == .exposed)
    }

    @Test("Root may use the private file of another user, but not an open one")
    func ownedByOther() throws {
        guard geteuid() == 0 else { return }
        let token = try makeToken(.client)
        let path = try file(token)
        chown(path, 65_534, 65_534)
        let lookup = lookup(["BATON_KEY_FILE": path])
        #expect(try lookup.key(for: [.client], at: nil).credential.key == token)
        chmod(path, 0o604)
        #expect(error(lookup, [.client])?.code == .exposed)
    }

    @Test("A mount of secrets may be readable to all, and is refused if others can change it")
    func mounted() throws {
        let token = try makeToken(.client)
        let path = try file(token, mode: 0o444)
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        #expect(try KeyFile.content(of: descriptor, path: path, rule: .mounted) == Array((token.text + "\n").utf8))
        chmod(path, 0o664)
        let error = #expect(throws: KeyError.self) {
            try KeyFile.content(of: descriptor, path: path, rule: .mounted)
        }
        #expect(error?.code == .changeable)
    }

    @Test("A home without a key is told with the roles and the directory")
    func none() throws {
        let missing = error(lookup(), [.client, .viewer])
        #expect((missing?.code, missing?.path) == (.noKey, scratch.keys.path))
        #expect(missing?.message == "There is no client or viewer key in \(scratch.keys.path).")
        _ = try scratch.keys.open(at: 1)
        #expect(error(lookup(), [.viewer])?.code == .noKey)
    }

    @Test("Of the home's keys, that of the address comes first, then the home's own, then the only one")
    func byAddress() throws {
        let a = try makeToken(.client, "laptop", at: "tcp://a:1")
        try scratch.keys.join(a)
        let unknown = try serverAddress("tcp://unknown:1")
        #expect(try lookup().key(for: [.client], at: unknown).credential.key == a)
        #expect(try lookup().key(for: [.client], at: nil).credential.key == a)
        let b = try makeToken(.client, "laptop", at: "tcp://b:1")
        try scratch.keys.join(b)
        #expect(try lookup().key(for: [.client], at: a.address).credential.key == a)
        #expect(try lookup().key(for: [.client], at: b.address).credential.key == b)
        let ambiguous = error(lookup(), [.client], unknown)
        #expect((ambiguous?.code, ambiguous?.path) == (.ambiguous, scratch.keys.path))
        let places = "\(scratch.keys.path) has keys of 2 coordinators, at "
        #expect(ambiguous?.message.hasPrefix(places) == true)
        #expect(ambiguous?.message.hasSuffix(", and none of them is known to be at tcp://unknown:1.") == true)
        let unnamed = error(lookup(), [.client])
        #expect(unnamed?.code == .ambiguous)
        #expect(unnamed?.message.hasSuffix(", and no address says which one is meant.") == true)
        for place in ["tcp://a:1", "tcp://b:1", " and "] { #expect(unnamed?.message.contains(place) == true) }

        let own = try scratch.keys.open(at: 1).key.publicKey
        #expect(try lookup().key(for: [.client], at: nil).credential.key?.server == own)
        let local = try serverAddress("tcp://127.0.0.1:7461")
        try scratch.keys.note(local)
        #expect(try lookup().key(for: [.client], at: local).credential.key?.server == own)
        #expect(try lookup().key(for: [.client], at: a.address).credential.key == a)
        #expect(error(lookup(), [.client], unknown)?.code == .ambiguous)
        #expect(try lookup().key(for: [.worker], at: nil).credential.key?.role == .worker)
    }

    @Test("Among several addresses, the first decides that is known to be that of a key")
    func bySeveralAddresses() throws {
        let a = try makeToken(.client, "laptop", at: "tcp://a:1")
        try scratch.keys.join(a)
        let unknown = try ["tcp://u:1", "tcp://v:1"].map { try serverAddress($0) }
        // The only coordinator's key serves at every address.
        #expect(try lookup().key(for: [.client], atAnyOf: unknown).credential.key == a)
        let b = try makeToken(.client, "laptop", at: "tcp://b:1")
        try scratch.keys.join(b)
        for token in [a, b] {
            let known = try #require(token.address)
            for place in 0...unknown.count {
                var addresses = unknown
                addresses.insert(known, at: place)
                #expect(try lookup().key(for: [.client], atAnyOf: addresses).credential.key == token)
            }
        }
        let ambiguous = #expect(throws: KeyError.self) { try lookup().key(for: [.client], atAnyOf: unknown) }
        #expect(ambiguous?.code == .ambiguous)
        #expect(ambiguous?.message.hasSuffix(" and none of them is known to be at tcp://u:1 or tcp://v:1.") == true)
        let missing = #expect(throws: KeyError.self) { try lookup().key(for: [.worker], atAnyOf: unknown) }
        #expect(missing?.code == .noKey)
        #expect(missing?.message.contains("no worker key for the coordinator at tcp://u:1 or tcp://v:1 in ") == true)
    }

    @Test("Addresses of coordinators with different keys are refused, and those with the same key are not")
    func differentClusters() throws {
        let a = try makeToken(.client, "laptop", at: "tcp://a:1")
        let b = try makeToken(.client, "laptop", at: "tcp://b:1")
        try scratch.keys.join(a)
        try scratch.keys.join(b)
        let own = try scratch.keys.open(at: 1).key.publicKey
        try scratch.keys.note(try serverAddress("tcp://127.0.0.1:7461"))
        for (first, second) in [
            ("tcp://a:1", "tcp://b:1"), ("tcp://b:1", "tcp://a:1"), ("tcp://localhost:7461", "tcp://a:1"),
        ] {
            let addresses = try [first, "tcp://u:1", second].map { try serverAddress($0) }
            let error = #expect(throws: KeyError.self) { try lookup().key(for: [.client], atAnyOf: addresses) }
            #expect(error?.code == .ambiguous)
            let sentence = "The addresses \(first) and \(second) belong to coordinators with different keys."
            #expect(error?.message.hasPrefix(sentence) == true)
            // A key of the environment is the only one that is looked for.
            let given = lookup(["BATON_KEY": a.text])
            #expect(try given.key(for: [.client], atAnyOf: addresses).credential.key == a)
        }
        let same = try ["tcp://localhost:7461", "tcp://127.0.0.1:7461", "tcp://u:1"].map { try serverAddress($0) }
        #expect(try lookup().key(for: [.client], atAnyOf: same).credential.key?.server == own)
        // An own coordinator at all addresses of its host may be anywhere, and says nothing against a key with an address.
        try scratch.keys.note(try serverAddress("tcp://*:1"))
        let anywhere = try ["tcp://u:1", "tcp://b:1"].map { try serverAddress($0) }
        #expect(try lookup().key(for: [.client], atAnyOf: anywhere).credential.key == b)
        #expect(try lookup().key(for: [.client], atAnyOf: [anywhere[0]]).credential.key?.server == own)
    }

    @Test("An operation's token is for the addresses in BATON_COORDINATOR, one or several of them, and no others")
    func operationAtSeveralAddresses() throws {
        let home = try scratch.keys.open(at: 1).key.publicKey
        let token = try makeOperationToken()
        let lookup = lookup(["BATON_TOKEN": token.text, "BATON_COORDINATOR": "tcp://a:1, tcp://b:1"])
        for texts in [["tcp://a:1"], ["tcp://b:1"], ["tcp://a:1", "tcp://b:1"], ["tcp://b:1", "tcp://a:1"]] {
            let addresses = try texts.map { try serverAddress($0) }
            #expect(try lookup.key(for: [.client], atAnyOf: addresses).credential == .operation(token))
        }
        #expect(try lookup.key(for: [.client], at: serverAddress("tcp://b:1")).credential == .operation(token))
        for texts in [[], ["tcp://c:1"], ["tcp://a:1", "tcp://c:1"]] as [[String]] {
            let addresses = try texts.map { try serverAddress($0) }
            #expect(try lookup.key(for: [.client], atAnyOf: addresses).credential.key?.server == home)
        }
        let access = try lookup.access(for: [.client], at: nil)
        #expect(access.key?.credential == .operation(token))
        #expect(access.endpoint == "tcp://a:1,tcp://b:1")
    }

    @Test("A list of known addresses stays short")
    func manyAddresses() throws {
        for number in 1...8 { try scratch.keys.join(try makeToken(.client, "laptop", at: "tcp://h\(number):1")) }
        let message = error(lookup(), [.client])?.message
        #expect(message?.contains("has keys of 8 coordinators, at tcp://h") == true)
        #expect(message?.contains(" and 3 more, and no address") == true)
    }

    @Test("A full disk has a code of its own")
    func fullDisk() {
        for code in [ENOSPC, EDQUOT] { #expect(KeyError.notAccessible("/k", "write", code: code).code == .noRoom) }
        #expect(KeyError.notAccessible("/k", "write", code: EACCES).code == .notAccessible)
    }

    @Test("An obstacle at a file of keys may pass if nobody has to change the file")
    func passingObstacles() {
        for code in [ENOSPC, EDQUOT, EROFS, EIO, EMFILE, ENFILE, ENOMEM] {
            #expect(KeyError.notAccessible("/k", "open", code: code).mayPass, "\(code)")
        }
        for code in [EACCES, EPERM, ENOENT, ENOTDIR, ELOOP] {
            #expect(!KeyError.notAccessible("/k", "open", code: code).mayPass, "\(code)")
        }
    }

    @Test("The preferred role comes first")
    func preferredRole() throws {
        let viewer = try makeToken(.viewer, "screen")
        try scratch.keys.join(viewer)
        #expect(try lookup().key(for: [.client, .viewer], at: nil).credential.key == viewer)
        _ = try scratch.keys.open(at: 1)
        #expect(try lookup().key(for: [.client, .viewer], at: nil).credential.key?.role == .client)
    }
}

extension Credential {
    /// The key; nil for an operation's token.
    fileprivate var key: JoinToken? {
        if case .key(let token) = self { token } else { nil }
    }
}
