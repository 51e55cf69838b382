# An AWS image with CUDA and cuDNN, made on a builder without a GPU (docs/how-to/recipes.md).
#   packer init . && packer build -var package=gpuenv_0.1.0-1_amd64.deb .
# For another cloud only the source and its plugin change: googlecompute, alicloud-ecs, huaweicloud-ecs.
packer {
  required_plugins {
    amazon = {
      version = ">= 1.2.0"
      source  = "github.com/hashicorp/amazon"
    }
  }
}

variable "package" {
  type        = string
  description = "Gpuenv's Debian package, made by scripts/package."
}

variable "specs" {
  type    = string
  default = "cuda@12.8 cudnn"
}

variable "profile" {
  type    = string
  default = "runtime"
}

variable "doctor" {
  type        = string
  default     = "--for run --assume-driver 570.86.15 --assume-gpu H100"
  description = "The builder has neither: what the image will run on is assumed."
}

variable "mirror" {
  type        = string
  default     = "https://developer.download.nvidia.com"
  description = "Several stand behind commas."
}

variable "region" {
  type    = string
  default = "eu-central-1"
}

source "amazon-ebs" "debian" {
  region        = var.region
  instance_type = "t3.large"
  ami_name      = "cuda-{{timestamp}}"
  ssh_username  = "admin"

  source_ami_filter {
    owners      = ["136693071363"] # Debian
    most_recent = true
    filters = {
      name                = "debian-12-amd64-*"
      root-device-type    = "ebs"
      virtualization-type = "hvm"
    }
  }

  launch_block_device_mappings {
    device_name           = "/dev/xvda"
    volume_size           = 32
    delete_on_termination = true
  }
}

build {
  sources = ["source.amazon-ebs.debian"]

  provisioner "file" {
    source      = var.package
    destination = "/tmp/gpuenv.deb"
  }

  provisioner "shell" {
    script          = "${path.root}/../setup.sh"
    execute_command = "chmod +x {{ .Path }}; sudo env {{ .Vars }} {{ .Path }}"
    environment_vars = [
      "PACKAGE=/tmp/gpuenv.deb",
      "SPECS=${var.specs}",
      "PROFILE=${var.profile}",
      "DOCTOR=${var.doctor}",
      "GPUENV_MIRROR=${var.mirror}",
    ]
  }

  # Downloads and traces of the build are not part of the image.
  provisioner "shell" {
    inline = [
      "sudo rm -rf /var/cache/gpuenv /tmp/gpuenv.deb",
      "sudo apt-get clean",
    ]
  }
}
