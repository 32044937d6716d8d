# Builds gpuadvisor and leaves only the program: no shell, no packages, no root.
#
#   docker build -t gpuadvisor .
#   docker run -d -e TELEGRAM_TOKEN=… -v gpuadvisor:/data gpuadvisor
#   docker run --rm -it gpuadvisor chat          talk to it
#   docker run --rm gpuadvisor ask "SDXL 出图租什么卡?"

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY advisor ./advisor
COPY rules ./rules
COPY adapters ./adapters
COPY bot ./bot
# Rules and time zones are embedded in the program.
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/gpuadvisor ./bot && mkdir /out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY LICENSE /LICENSE
COPY --from=build /out/gpuadvisor /gpuadvisor
# The folder for the store belongs to the user that runs the program.
COPY --from=build --chown=nonroot:nonroot /out/data /data
ENV LISTEN=0.0.0.0:8080 \
    STORE_FILE=/data/gpuadvisor.db
VOLUME /data
EXPOSE 8080
USER nonroot
ENTRYPOINT ["/gpuadvisor"]
CMD ["serve"]
