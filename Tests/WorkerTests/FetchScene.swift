@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWorker

/// A worker that fetches files, without a thread, a socket and a disk: each request is answered by hand.
struct FetchScene {
    /// A request without an answer.
    struct Asked: Equatable {
        var number: UInt64
        var token: AttemptToken
        var digest: ContentDigest
        var offset: UInt64
        var limit: UInt32
    }

    var fetches: FileFetches
    var now = Duration.zero
    /// The bytes of each content.
    var contents: [ContentDigest: [UInt8]] = [:]
    /// The contents that come wrong, and how often they do.
    var wrong: [ContentDigest: Int] = [:]
    /// The contents that this host cannot keep.
    var unkept: Set<ContentDigest> = []
    /// A request to another worker without an answer.
    struct AskedDirectly: Equatable {
        var holder: DataAddress
        var request: DirectRequest
    }

    /// The open requests, oldest first.
    private(set) var asked: [Asked] = []
    /// The open requests to other workers, oldest first.
    private(set) var askedDirectly: [AskedDirectly] = []
    /// The other workers whose connections were closed, in order.
    private(set) var left: [DataAddress] = []
    /// How often each byte range was asked for.
    private(set) var askedCount = 0
    /// The files that are being written.
    private(set) var files: [ContentDigest: [UInt8]] = [:]
    /// The contents that are kept here.
    private(set) var held: Set<ContentDigest> = []
    /// The outcomes, in order.
    private(set) var outcomes: [FileFetches.Action] = []
    /// The most requests that were open at a time, and the most bytes.
    private(set) var most = (requests: 0, bytes: 0)

    init(limits: FileFetches.Limits = FileFetches.Limits()) {
        fetches = FileFetches(limits: limits)
        fetches.connected(at: now)
    }

    /// Makes a file of a size, whose bytes differ from those of other files.
    mutating func makeFile(_ number: UInt8, size: Int, path: String? = nil) -> KeptFile {
        let digest = Self.digest(number)
        contents[digest] = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 10 &+ Int(number)) }
        return KeptFile(path: path ?? "file\(number)", size: Int64(size), mode: 0o644, digest: digest)
    }

    static func digest(_ number: UInt8) -> ContentDigest {
        guard let digest = ContentDigest(bytes: [UInt8](repeating: number, count: ContentDigest.length)) else {
            preconditionFailure("A digest has 32 bytes.")
        }
        return digest
    }

    mutating func fetch(_ files: [KeptFile], of token: AttemptToken) {
        fetches.fetch(files.filter { !held.contains($0.digest) }, of: token)
        settle()
    }

    mutating func drop(_ token: AttemptToken) {
        fetches.drop(token)
        settle()
    }

    /// Notes that an attempt of this host has left a content.
    mutating func keep(_ digest: ContentDigest) { held.insert(digest) }

    mutating func disconnect() {
        asked = []
        askedDirectly = []
        fetches.disconnected()
        settle()
    }

    mutating func connect() {
        fetches.connected(at: now)
        settle()
    }

    /// Lets time pass.
    mutating func pass(_ time: Duration) {
        now += time
        settle()
    }

    /// Answers an open request with a piece.
    ///
    /// - Parameter count: the most bytes of the answer; nil for as many as were asked for.
    mutating func answer(_ place: Int = 0, atMost count: Int? = nil) {
        let request = asked.remove(at: place)
        let content = contents[request.digest] ?? []
        let start = min(Int(request.offset), content.count)
        let end = min(start + min(Int(request.limit), count ?? .max), content.count)
        let piece = FilePiece(offset: request.offset, size: UInt64(content.count), bytes: Array(content[start..<end]))
        fetches.receive(piece, number: request.number, at: now)
        settle()
    }

    /// Answers an open request with something else.
    mutating func answer(_ place: Int = 0, with piece: FilePiece?) {
        let request = asked.remove(at: place)
        fetches.receive(piece, number: request.number, at: now)
        settle()
    }

    /// Refuses an open request.
    mutating func refuse(_ place: Int = 0, isLost: Bool) {
        let request = asked.remove(at: place)
        fetches.receiveUnavailable(number: request.number, isLost: isLost, at: now)
        settle()
    }

    /// Names a worker that gives the rest of a file directly, as with the piece for an open request.
    @discardableResult
    mutating func name(_ holder: DataAddress, for place: Int = 0) -> DirectSource {
        let request = asked[place]
        let source = DirectSource(address: holder, ticket: .random())
        fetches.receiveSource(source, of: request.digest, number: request.number, at: now)
        settle()
        return source
    }

    /// Answers an open request to another worker with a piece.
    mutating func answerDirectly(_ place: Int = 0, atMost count: Int? = nil) {
        let asked = askedDirectly.remove(at: place)
        let request = asked.request
        let content = contents[request.digest] ?? []
        let start = min(Int(request.offset), content.count)
        let end = min(start + min(Int(request.limit), count ?? .max), content.count)
        let piece = FilePiece(offset: request.offset, size: UInt64(content.count), bytes: Array(content[start..<end]))
        fetches.receive(piece, number: request.number, from: asked.holder, at: now)
        settle()
    }

    /// Answers an open request to another worker with something else.
    mutating func answerDirectly(_ place: Int = 0, with piece: FilePiece?) {
        let asked = askedDirectly.remove(at: place)
        fetches.receive(piece, number: asked.request.number, from: asked.holder, at: now)
        settle()
    }

    /// Answers all requests in order, until none is left.
    mutating func answerAll() {
        while !asked.isEmpty { answer() }
    }

    /// Answers all requests of both kinds in order, until none is left.
    mutating func answerEverybody() {
        while !asked.isEmpty || !askedDirectly.isEmpty {
            if askedDirectly.isEmpty { answer() } else { answerDirectly() }
        }
    }

    /// Says something to the fetches, and carries out what follows.
    mutating func change(_ body: (inout FileFetches) -> Void) {
        body(&fetches)
        settle()
    }

    /// Carries out all actions.
    private mutating func settle() {
        while case let actions = fetches.takeActions(at: now), !actions.isEmpty {
            for action in actions { carryOut(action) }
        }
        let fetches = fetches
        askedDirectly.removeAll { !fetches.isOpen($0.request.number) }
        let bytes = asked.reduce(0) { $0 + Int($1.limit) } + askedDirectly.reduce(0) { $0 + Int($1.request.limit) }
        most = (max(most.requests, asked.count + askedDirectly.count), max(most.bytes, bytes))
    }

    private mutating func carryOut(_ action: FileFetches.Action) {
        switch action {
        case .begin(let file):
            #expect(files[file.digest] == nil, "\(file.path) begins twice")
            if held.contains(file.digest) { return fetches.isHeld(file.digest) }
            if unkept.contains(file.digest) { return fetches.failed(file.digest, at: now) }
            files[file.digest] = []
            fetches.began(file.digest)
        case .ask(let number, let token, let digest, let offset, let limit):
            asked.append(Asked(number: number, token: token, digest: digest, offset: offset, limit: limit))
            askedCount += 1
        case .askDirectly(let request, let holder):
            guard fetches.isOpen(request.number) else { return }
            askedDirectly.append(AskedDirectly(holder: holder, request: request))
            askedCount += 1
        case .leave(let holder):
            left.append(holder)
        case .write(let digest, let bytes):
            files[digest]? += bytes
        case .finish(let digest):
            guard let file = files.removeValue(forKey: digest) else { return }
            let isWrong = wrong[digest, default: 0] > 0
            if isWrong { wrong[digest, default: 0] -= 1 }
            #expect(file == contents[digest], "a file was not written as it is")
            if !isWrong { held.insert(digest) }
            fetches.finished(digest, isRight: !isWrong, at: now)
        case .abandon(let digest):
            files[digest] = nil
        case .report, .giveUp, .fail:
            outcomes.append(action)
        }
    }
}
