@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The questions who leads, of a worker with several addresses.
extension WorkerLoop {
    func openInquiries() {
        guard let endpoints = EndpointList(options.coordinator) else { return }
        do throws(ZeroMQError) {
            inquiries = try LeaderInquiries(
                endpoints,
                version: options.version,
                known: shell.session.configuration.knownRanks.highest,
                security: options.security,
                context: context,
                poller: poller,
                resolver: options.resolver,
                patience: options.patience
            )
        } catch {
            options.logger.error(
                "the worker cannot ask its addresses who leads, and tries them in turn",
                metadata: ["reason": "\(error)"]
            )
        }
    }

    /// Takes in what is learnt of the addresses.
    func receive(_ news: [(place: Int, news: LeaderInquiries.News)]) {
        for (place, news) in news {
            switch news {
            case .leadership(let leadership): handle(.leadership(leadership, at: place))
            case .silent: handle(.placeSilent(place))
            case .lost: handle(.placeLost(place))
            }
        }
    }

    func keepRanks(_ ranks: KnownRanks) {
        inquiries?.known = ranks.highest
        do throws(FileFailure) {
            try services.directory.keep(ranks)
        } catch {
            options.logger.warning(
                "the worker cannot note which coordinator it obeys, and may obey one that was replaced after its next start",
                metadata: ["reason": "\(error)"]
            )
        }
    }
}
