@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonProcesses

extension ProcessEnvironment {
    /// The variables of this process except `BATON_KEY`, `BATON_KEY_FILE`, `BATON_TOKEN`, `BATON_INSECURE` and that of the ready
    /// pipe.
    ///
    /// The processes of a cluster on this host use the keys of the cluster's own home.
    static var withoutKeys: ProcessEnvironment {
        .inherited(
            except: [
                KeyLookup.variable, KeyLookup.fileVariable, KeyLookup.operationVariable,
                CoordinatorAccess.insecureVariable, ReadyPipe.variable,
            ]
        )
    }
}

extension TemporaryDirectory {
    /// The keys of a private cluster whose home is the directory.
    var keys: KeyDirectory { KeyDirectory(home: path) }

    /// The way to the coordinator of a private cluster, which has made its keys.
    ///
    /// - Parameter isInsecure: whether the cluster has no keys.
    func access(to endpoint: String, isInsecure: Bool) throws(KeyError) -> CoordinatorAccess {
        try KeyLookup(environment: [:], directory: keys).access(for: [.client], at: endpoint, isInsecure: isInsecure)
    }
}
