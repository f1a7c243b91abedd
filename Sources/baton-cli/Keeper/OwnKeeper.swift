@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker
@_spi(Baton) import BatonZeroMQ

/// The worker in the process of a coordinator, which keeps files and runs nothing.
///
/// With an archive, it copies each file that operations leave. Without an archive, it starts with the first file that a client sends.
struct OwnKeeper: Sendable {
    private let keeper: Keeper
    /// The key pair of the keeper's connection, made for this process; nil for a coordinator without keys.
    private let key: CurveKeyPair?
    private let keys: KeyDirectory?

    /// Describes the worker, and starts nothing.
    ///
    /// - Parameters:
    ///   - archive: the absolute path of the directory for copies of all files; nil for none.
    ///   - record: the path of the coordinator's record, beside which its directory is without an archive; in place of a file, what
    ///     ``CoordinatorOptions/ownFiles`` says.
    ///   - keys: the coordinator's keys; nil for a coordinator without keys.
    /// - Throws: ``CommandFailure`` if no key can be made.
    init(archive: String?, record: String, keys: KeyDirectory?, logger: Logger) throws(CommandFailure) {
        keeper = Keeper(
            name: archive == nil ? "coordinator" : "archive",
            directory: archive ?? record + "-files",
            keepsAll: archive != nil,
            // An archive has all of its file system; otherwise, it may be that of the record.
            limit: archive == nil ? nil : UInt64(ByteSize.maximum),
            version: BatonVersion.current,
            logger: logger
        )
        self.keys = keys
        guard keys != nil else {
            key = nil
            return
        }
        do throws(ZeroMQError) {
            key = try CurveKeyPair.generate()
        } catch {
            throw CommandFailure(
                ExitStatus.fault,
                code: "fault",
                "The coordinator cannot make a key for the files that it keeps: \(error)."
            )
        }
    }

    /// Describes the worker of a coordinator from the command line.
    init(_ arguments: CoordinatorArguments, of options: CoordinatorOptions) throws(CommandFailure) {
        var archive: String?
        if let path = arguments.archive { archive = try Surroundings.absolutePath(path) }
        try self.init(archive: archive, record: options.ownFiles, keys: options.keys, logger: options.logger)
    }

    /// Makes the worker, and what it keeps for clients, known to a coordinator.
    func introduce(to options: inout CoordinatorOptions) {
        options.keeper = KeeperAdmission(name: keeper.name, secret: keeper.secret, key: key?.publicKey)
        options.sentFiles = SentFilesOfKeeper(keeper: keeper)
    }

    /// Starts the worker if there is something to keep or to give, once its coordinator listens.
    ///
    /// - Throws: ``CommandFailure`` if its directory cannot be used.
    func begin(at endpoint: String) throws(CommandFailure) {
        var security = SocketSecurity.none
        if let keys, let key {
            do throws(KeyError) {
                // The coordinator has made its key by now.
                guard let server = try keys.serverKey() else { return }
                security = .curveClient(server: server, key: key)
            } catch {
                throw CommandFailure(error)
            }
        }
        do throws(WorkerError) {
            try keeper.begin(at: ServerAddress(endpoint)?.fromSameHost.text ?? endpoint, security: security)
        } catch {
            let failure = CommandFailure(error)
            throw CommandFailure(
                failure.status,
                code: failure.code,
                "The coordinator cannot keep files. \(error.message)",
                advice: keeper.name == "archive" ? "The option --archive names the directory." : nil
            )
        }
    }

    /// Ends the worker, after its coordinator.
    func stop() { keeper.stop() }
}

/// The files of clients, as the coordinator sees them.
private struct SentFilesOfKeeper: SentFileStore {
    let keeper: Keeper

    func missing(_ digests: [ContentDigest]) -> [ContentDigest] { keeper.missing(digests) }

    func write(_ piece: SentPiece, completion: @escaping @Sendable (Result<Bool, SentPieceFailure>) -> Void) {
        keeper.write(piece, completion: completion)
    }
}
